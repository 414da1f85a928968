"""HTTP of the own account."""
