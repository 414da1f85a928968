"""Changes: where a history leaves its level, and what became of it."""
