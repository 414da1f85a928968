"""How long seconds and logs are kept, and their removal. Summaries are kept for ever."""
