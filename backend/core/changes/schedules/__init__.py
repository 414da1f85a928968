"""Schedules: runs that start at set times, and monitoring of their results."""
