"""HTTP of answers."""
