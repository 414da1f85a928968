"""Bench hosts from their invitation to their revocation."""
