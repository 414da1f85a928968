"""Live events of runs, and the readers that receive them."""
