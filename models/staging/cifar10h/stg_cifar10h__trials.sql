{{ config(enabled=project_name == 'dissent') }}

{{ trials(source('cifar10h', 'cifar10h_raw')) }}
