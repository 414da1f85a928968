"""PostgreSQL and Redis from Python packages."""
