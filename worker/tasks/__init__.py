"""Celery tasks, a file per noun. Each task loads by id, calls a service and handles errors."""
