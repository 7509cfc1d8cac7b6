{{ warehouse_datasets() }}
