"""HTTP of metrics."""
