"""Runs the trials of runs: keeps their lease, reports their progress and stores their results."""
