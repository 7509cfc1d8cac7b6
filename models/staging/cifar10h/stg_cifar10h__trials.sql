{{ trials(source('cifar10h', 'cifar10h_raw')) }}
