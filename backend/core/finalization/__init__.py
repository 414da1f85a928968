"""Finalization: what happens once to each ended run."""
