"""HTTP of runs."""
