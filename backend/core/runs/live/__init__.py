"""Live events of runs: their types, their streams in Redis, and who may follow them."""
