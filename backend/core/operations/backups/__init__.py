"""Scheduled backups: their attempts, and when the next one begins."""
