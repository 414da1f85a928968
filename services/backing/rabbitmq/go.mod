module tacho.local/rabbitmq

go 1.26
