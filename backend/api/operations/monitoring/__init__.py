"""HTTP of the metrics for Prometheus."""
