"""Comparison: estimates, intervals and what may be said of them."""
