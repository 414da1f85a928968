"""Snapshots: saved comparisons."""
