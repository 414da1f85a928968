"""HTTP of groups of runs."""
