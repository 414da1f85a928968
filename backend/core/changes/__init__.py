"""Changes over time: level shifts, incidents, histories, schedules, webhooks, finalization."""
