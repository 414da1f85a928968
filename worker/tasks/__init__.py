"""Celery tasks, one file per noun. Each loads by id, calls a service and maps errors."""
