"""Prose checks: the rules of `rules.toml`, and the check of commit messages."""
