"""Benchmarks of Tacho itself, against its own real parts."""
