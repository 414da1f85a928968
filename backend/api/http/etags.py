"""Conditional requests (RFC 9110, 13.1.2)."""


def has_etag(if_none_match: str | None, etag: str) -> bool:
    """Return whether a client that sent this If-None-Match header has the content of an ETag.

    Args:
        etag: with its quotes. Weak and strong tags are equal.
    """
    tags = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return etag in tags or "*" in tags
