"""Comparison of results: estimates, intervals, tests and rankings."""
