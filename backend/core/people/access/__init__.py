"""Permissions of callers, the data that a viewer sees, and the actors of changes."""
