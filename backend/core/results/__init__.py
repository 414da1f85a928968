"""Results: the stored summaries, environments and charts of finished cells."""
