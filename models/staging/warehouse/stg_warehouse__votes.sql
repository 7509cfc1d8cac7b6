{{ warehouse_votes() }}
