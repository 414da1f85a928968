"""Calibration: what a bench host's own generator and noise let it tell apart."""
