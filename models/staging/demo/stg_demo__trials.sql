{{ trials(source('demo', 'demo_raw')) }}
