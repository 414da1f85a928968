"""HTTP of schedules."""
