"""HTTP of frameworks."""
