"""HTTP of example data."""
