"""Changes: level shifts in histories, and their status."""
