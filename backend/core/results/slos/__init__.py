"""Service level objectives: limits for metrics."""
