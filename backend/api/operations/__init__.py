"""Nouns of an installation: its hosts, health, retention and example data."""
