"""Runs a trial from claim to results: one module per stage, called in order by `run.py`."""
