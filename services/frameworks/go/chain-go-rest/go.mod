module tacho.local/chain-go-rest

go 1.26
