"""Measurements: series, histograms and the numbers drawn from them."""
