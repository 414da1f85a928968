"""A trial from claim to numbers: one module a stage, `run.py` puts them in order."""
