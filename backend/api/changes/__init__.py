"""HTTP of changes."""
