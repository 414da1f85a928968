module tacho.local/go-nethttp

go 1.26
