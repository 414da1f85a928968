"""For tests of the worker's database side: the installation that the backend's tests have."""

from backend.tests.conftest import (
    database,
    database_url,
    installation,
    postgres_url,
    redis_url,
    server_layout,
)

__all__ = [
    "database",
    "database_url",
    "installation",
    "postgres_url",
    "redis_url",
    "server_layout",
]
