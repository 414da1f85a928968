"""Answer requests with stored documents, and store those that were computed.

A route names what its document is about and how to compute it:

    return await documents.respond(of_run(name), lambda session: show(read_run(session, name)))

One quick statement finds the version of the document, who may read it, and its stored body. For a
conditional request, the statement that identifies the caller finds the version, and the request
ends there. `is_final` of a subject decides whether its document is stored; all others are computed
for each request.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.access.caller import Caller
from backend.api.deps import ResourcesDep, Sender, SenderDep
from backend.api.process.gates import Gate
from backend.api.process.resources import AppResources
from backend.api.stored.conditional import LookUpWithVersion
from backend.api.stored.responses import (
    PacedResponse,
    is_known,
    make_headers,
    read_known,
    send_stored,
)
from backend.core.access.viewer import Viewer
from backend.core.stored_documents import repository
from backend.core.stored_documents.code_version import read_code_version
from backend.core.stored_documents.repository import FoundDocument, FoundVersion, Statement
from backend.core.stored_documents.subjects import Subject

JSON = "application/json"
HTML = "text/html"
_TEXT = (JSON, HTML, "image/svg+xml")
# A larger document is computed for each request.
_MOST_BYTES = 8_000_000

Compute = Callable[[Session], BaseModel | bytes]


class DocumentReader:
    """Answers one request with a document.

    Attributes:
        if_none_match: the header with the versions that the caller has.
    """

    def __init__(
        self, request: Request, resources: AppResources, sender: Sender, if_none_match: str | None
    ) -> None:
        self.request = request
        self.resources = resources
        self.if_none_match = if_none_match
        self._sender = sender
        self._caller: Caller | None = None
        self._is_counted = False

    @property
    def viewer(self) -> Viewer:
        """Return whose documents the caller may read. The caller must be identified by then."""
        assert self._caller is not None
        return self._caller.viewer

    @property
    def rights(self) -> str:
        """Return which variant of a document the caller gets."""
        return self.viewer.variant

    async def identify(self, version: Statement | None = None) -> FoundVersion | None:
        """Identify the caller and count the request.

        Args:
            version: finds the version of the document, for a conditional request.

        Returns:
            What `version` found. None if the caller was identified without reading the database.
        """
        self._is_counted = True
        look_up = None
        if version is not None:
            look_up = LookUpWithVersion(self.resources.database.look_up, version)
        self._caller = await self._sender.identify_and_count(look_up)
        return None if look_up is None else look_up.found

    async def count_refused(self) -> None:
        """Identify and count the sender of a request that was refused before it was answered."""
        if not self._is_counted:
            await self.identify()

    async def respond(
        self,
        subject: Subject | None,
        compute: Compute,
        *,
        media_type: str = JSON,
        code: str = "",
        gate: Gate | None = None,
    ) -> Response:
        """Return the document that this request names.

        Args:
            subject: None if the request names nothing; then `compute` raises the error.
            compute: returns the document, or raises an error that no document may replace. It
            checks the rights of the caller.
            code: version of other code that takes part, such as a page's scripts.
            gate: the turns of requests that compute. Default: those of large requests.
        """
        code = read_code_version() + code
        lookup = None
        if subject is not None and self.if_none_match is not None:
            lookup = repository.write_version_lookup(subject, code)
        version = await self.identify(lookup)
        known = read_known(self.if_none_match, self.rights)
        if version is not None and self._may_send(version) and is_known(version.version, known):
            return self._send_nothing(version.version)
        part = self._name_part()
        found = None if subject is None else await self._find(subject, part, code, known)
        if found is not None and is_known(found.version, known):
            return self._send_nothing(found.version)
        headers = make_headers(
            found.version if found else None, self.rights, is_public=self._is_public(found)
        )
        is_text = media_type in _TEXT
        if found is not None and found.body is not None:
            return send_stored(
                self.resources.delivering,
                found.body,
                headers,
                self.request.headers.get("accept-encoding", ""),
                media_type,
                is_compressed=is_text,
            )
        name = (found.key, found.version) if found else (self.request.url.path, part)
        body = None if found is None else self.resources.writer.find(found.key, found.version)
        is_new = body is None
        if body is None:
            body = await self.resources.documents.get(name, partial(self._compute, compute, gate))
        if found is not None and is_new and len(body) <= _MOST_BYTES:
            self.resources.writer.add(found.key, found.version, body, is_compressed=is_text)
        return PacedResponse(
            self.resources.delivering, body, media_type=media_type, headers=headers
        )

    async def _find(
        self, subject: Subject, part: str, code: str, known: list[str]
    ) -> FoundDocument | None:
        """Return the version and the stored body; None if the document may not be stored."""
        statement = repository.write_lookup(subject, part, code, known)
        rows = await self.resources.database.look_up(*statement)
        found = FoundDocument._make(rows[0]) if rows else None
        return found if found is not None and self._may_send(found) else None

    def _may_send(self, found: FoundVersion | FoundDocument) -> bool:
        """Return whether the caller may read a document, and it stays the same."""
        return found.is_final and self.viewer.memberships.issuperset(found.owners or ())

    def _send_nothing(self, version: str) -> Response:
        headers = make_headers(version, self.rights, is_public=not self.viewer.is_member)
        return Response(status_code=304, headers=headers)

    async def _compute(self, compute: Compute, gate: Gate | None) -> bytes:
        async with (gate or self.resources.reading).enter():
            return await self.resources.database.read(lambda session: _encode(compute(session)))

    def _is_public(self, found: FoundDocument | None) -> bool:
        return found is not None and not self.viewer.is_member

    def _name_part(self) -> str:
        """Return which of the documents about a subject is requested.

        The subject contains the parameters of the path.
        """
        route: str = self.request.scope["route"].path
        named = json.dumps([route, self.request.query_params.multi_items(), self.rights])
        return f":{hashlib.sha256(named.encode()).hexdigest()[:32]}"


async def read_documents(
    request: Request,
    resources: ResourcesDep,
    sender: SenderDep,
    if_none_match: Annotated[
        str | None,
        Header(description="ETags of earlier responses. The answer is 304 if nothing changed."),
    ] = None,
) -> AsyncIterator[DocumentReader]:
    """Return what answers this request with a document."""
    reader = DocumentReader(request, resources, sender, if_none_match)
    try:
        yield reader
    finally:
        await reader.count_refused()


DocumentsDep = Annotated[DocumentReader, Depends(read_documents, scope="function")]


def _encode(content: BaseModel | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.model_dump_json().encode()
