"""Tacho's backend: the REST API and the domain it shares with the worker."""
