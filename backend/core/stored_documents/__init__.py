"""Stored documents: responses that are kept until something that they show changes."""
