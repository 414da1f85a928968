"""The embedded servers, for the tests of what starts them."""

from backend.platform.testing import postgres_url, redis_url, server_layout

__all__ = ["postgres_url", "redis_url", "server_layout"]
