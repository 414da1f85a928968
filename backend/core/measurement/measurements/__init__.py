"""Measurements: series, histograms and the metrics computed from them."""
