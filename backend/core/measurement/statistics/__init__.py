"""Estimates, intervals and tests as pure functions."""
