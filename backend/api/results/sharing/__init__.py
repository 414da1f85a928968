"""Shared forms of a run: link preview, picture, and a page that works offline."""
