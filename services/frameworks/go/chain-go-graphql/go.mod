module tacho.local/chain-go-graphql

go 1.26

require github.com/graph-gophers/graphql-go v1.11.0
