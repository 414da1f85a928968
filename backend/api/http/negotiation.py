"""Headers by which a client states what it has and what it accepts: ETags and content codings."""


def has_etag(if_none_match: str | None, etag: str) -> bool:
    """Return whether a client that sent this If-None-Match header has the content of an ETag.

    RFC 9110, 13.1.2.

    Args:
        etag: with its quotes. Weak and strong tags are equal.
    """
    tags = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return etag in tags or "*" in tags


def accepted_codings(header: str) -> set[str]:
    """Return the content codings that an Accept-Encoding header accepts (RFC 9110, 12.5.3)."""
    found = set()
    for part in header.split(","):
        coding, *parameters = (word.strip().lower() for word in part.split(";"))
        if not any(_refuses(parameter) for parameter in parameters):
            found.add(coding)
    return found


def _refuses(parameter: str) -> bool:
    name, _, weight = parameter.partition("=")
    return name == "q" and weight.strip("0.") == ""
