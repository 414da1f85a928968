"""Backups of an installation, and an upgrade of PostgreSQL, which needs one."""
