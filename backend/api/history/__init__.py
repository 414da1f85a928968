"""HTTP of history."""
