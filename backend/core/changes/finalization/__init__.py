"""Finalization: summarise each ended run once, search it for changes, send webhooks."""
