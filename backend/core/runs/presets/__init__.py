"""Presets: suggested runs for common questions and for studies."""
