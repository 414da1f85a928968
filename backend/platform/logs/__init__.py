"""Logs and metrics of the parts."""
