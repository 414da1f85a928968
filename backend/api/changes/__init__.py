"""Nouns of what happens over time: changes, incidents, histories, schedules, webhooks."""
