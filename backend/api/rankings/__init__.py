"""HTTP of rankings."""
