"""Documents that are stored ready to send: one mechanism for all routes."""
