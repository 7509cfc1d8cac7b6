{{ declared_keys() }}
