"""Runs: what was asked for, how far it is, and who may take the next trial."""
