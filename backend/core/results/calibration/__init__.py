"""Calibration: load generator overhead and minimum detectable differences of a bench host."""
