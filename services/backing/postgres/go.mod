module tacho.local/postgres

go 1.26
