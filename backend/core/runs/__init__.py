"""Runs: requests, plans, queues, trials and their progress; presets."""
