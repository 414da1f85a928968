"""Leaderboards: the latest valid result of each framework on a board."""
