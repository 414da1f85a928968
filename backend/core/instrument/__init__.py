"""The error of the load generator, found with a second, independent load generator."""
