"""Published studies compared with results measured here."""
