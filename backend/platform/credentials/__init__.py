"""The users of the parts in PostgreSQL and Redis, and the certificates of both."""
