"""HTTP of stored documents: ETag, Cache-Control, conditional requests and compression."""

import gzip
from collections.abc import Collection
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from backend.api.http.interface import accepted_codings
from backend.api.process.gates import Pace

# Smaller answers are sent at once.
_LARGE_BYTES = 64_000
_ANY = "*"

NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing has changed since the response with this ETag."}
}


class PacedResponse(Response):
    """A large answer that may go to many clients at once. Answers start at least 2 ms apart, so
    that small answers are sent between them.
    """

    def __init__(self, pace: Pace, content: bytes, **settings: Any) -> None:
        super().__init__(content, **settings)
        self._pace = pace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) > _LARGE_BYTES:
            await self._pace.wait()
        await super().__call__(scope, receive, send)


def read_known(header: str | None, rights: str) -> list[str]:
    """Return the versions in an If-None-Match header that were sent to a caller of these rights."""
    tags = [tag.strip().removeprefix("W/").strip('"') for tag in (header or "").split(",")]
    suffix = f"-{rights}"
    return [tag.removesuffix(suffix) for tag in tags if tag.endswith(suffix) or tag == _ANY]


def read_claimed_rights(header: str) -> str:
    """Return the rights that the first tag of an If-None-Match header was sent for, or ''."""
    return header.partition(",")[0].strip().removesuffix('"').partition("-")[2]


def is_known(version: str, known: Collection[str]) -> bool:
    """Return whether the caller already has this version."""
    return version in known or _ANY in known


def make_headers(version: str | None, rights: str, *, is_public: bool) -> dict[str, str]:
    """Return the headers of a document. Caches may keep it, but ask each time whether it changed.

    Args:
        version: None for a document that may change at any time.
        is_public: whether caches that several people share may keep it.
    """
    headers = {
        "Cache-Control": f"{'public' if is_public else 'private'}, no-cache",
        # Callers with more rights see more.
        "Vary": "Accept-Encoding, Authorization, Cookie, Tacho-Workspace",
    }
    if version is not None:
        # Weak: the compressed and the plain form of a document have the same tag.
        headers["ETag"] = f'W/"{version}-{rights}"'
    return headers


def send_stored(
    pace: Pace,
    body: bytes,
    headers: dict[str, str],
    accepted: str,
    media_type: str,
    *,
    is_compressed: bool,
) -> Response:
    """Return the response with a stored body.

    Args:
        accepted: the Accept-Encoding header of the request.
        is_compressed: whether the body is compressed with gzip.
    """
    if is_compressed:
        if "gzip" in accepted_codings(accepted):
            headers = {**headers, "Content-Encoding": "gzip"}
        else:
            body = gzip.decompress(body)
    return PacedResponse(pace, body, media_type=media_type, headers=headers)
