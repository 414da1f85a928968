"""Prose checks: Vale with the rules of `styles/Tacho`, and the check of commit messages."""
