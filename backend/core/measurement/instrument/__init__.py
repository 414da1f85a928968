"""The error of the load generator, found by cross-checks."""
