{{ warehouse_labels() }}
