"""How long seconds and logs are kept."""
