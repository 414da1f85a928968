"""Shared forms of a run: link preview, picture, and a document that works offline."""
