"""The rights of bench hosts in PostgreSQL and Redis, and their credentials."""
