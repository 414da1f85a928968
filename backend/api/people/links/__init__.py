"""HTTP of one-time links."""
