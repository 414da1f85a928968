"""Runs with a goal: judge them after each block of trials, then add a block or let them end."""
