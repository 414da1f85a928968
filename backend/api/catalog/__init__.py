"""Nouns of the catalogue: frameworks and scenarios."""
