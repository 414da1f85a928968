"""Celery tasks, one file a noun; thin: load by id, call, map errors."""
