module tacho/tools/benchmarks/answer_server

go 1.26
