"""Nouns of runs: runs, their groups, presets and the queue."""
