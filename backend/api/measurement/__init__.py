"""Nouns of measurements: trials, metrics and verdicts."""
