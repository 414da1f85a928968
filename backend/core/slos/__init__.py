"""Service level objectives: limits that people set for metrics."""
