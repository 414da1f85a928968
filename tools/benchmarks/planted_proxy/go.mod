module tacho/planted_proxy

go 1.25.0
