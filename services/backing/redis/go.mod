module tacho.local/redis

go 1.26
