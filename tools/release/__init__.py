"""Build releases of Tacho, check that builds are reproducible, and audit dependencies."""
