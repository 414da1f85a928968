"""Runs: requests, progress, status, and which worker takes the next trial."""
