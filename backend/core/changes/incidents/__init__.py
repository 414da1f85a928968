"""Incidents: changes with the same build, or of the same shift of a host, together."""
