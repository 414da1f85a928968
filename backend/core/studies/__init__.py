"""Published studies beside what was measured here."""
