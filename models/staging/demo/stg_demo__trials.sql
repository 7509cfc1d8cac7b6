{{ config(enabled=project_name == 'dissent') }}

{{ trials(source('demo', 'demo_raw')) }}
