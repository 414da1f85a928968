"""Lists whose items are stored one by one, so that a list reuses the items that did not change.

A document of its own may be such an item, too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from fastapi import Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.paging import encode_cursor
from backend.api.stored.documents import JSON, DocumentReader
from backend.api.stored.responses import (
    PacedResponse,
    is_known,
    make_headers,
    read_claimed_rights,
    read_known,
)
from backend.core.access.viewer import Viewer, find_viewer
from backend.core.stored_documents.code_version import read_code_version
from backend.core.stored_documents.repository import (
    FoundDocument,
    FoundVersion,
    Statement,
    name_version,
    write_list_version_lookup,
    write_lookup,
    write_version_lookup,
)
from backend.core.stored_documents.subjects import Subject

Items = Mapping[UUID, BaseModel]
Select = Callable[[Viewer], Subject]
Compute = Callable[[Session], BaseModel]
ComputeItems = Callable[[Session, Sequence[UUID]], Items]
Check = Callable[[Session], object]


async def respond_with_items(
    documents: DocumentReader,
    select: Select,
    limit: int | None,
    compute: ComputeItems,
    check: Check | None = None,
    version: Subject | None = None,
) -> Response:
    """Return a page of items.

    Args:
        select: returns one row per item that a viewer sees, and one more than `limit` if there is a
            next page.
        limit: None for a list without pages.
        compute: returns the items by id.
        check: raises an error if an empty list is that of something that does not exist.
        version: its version changes whenever the list does, for any viewer. Default: the versions
            of all items, which take longer to find.
    """
    known_version = await _identify(
        documents, lambda viewer: _write_version_lookup(select, viewer, version)
    )
    if known_version is not None:
        return Response(status_code=304, headers=_make_headers(documents, known_version))
    lookup = _write_lookup(select, documents.viewer)
    read = documents.resources.database.look_up
    # Before the items, so that a version never belongs to older items.
    named = None if version is None else await _find_version(documents, version)
    found = [FoundDocument._make(row) for row in await read(*write_lookup(*lookup))]
    is_final = all(row.is_final for row in found)
    headers = _make_headers(documents, (named or name_version(found)) if is_final else None)
    if check is not None and not found:
        await documents.resources.database.read(check)
    page, more = found[:limit], limit is not None and len(found) > limit
    cursor = _name_next(page[-1]) if more else None
    known = {row.key: _find_body(documents, row) for row in page}
    missing = [row for row in page if known[row.key] is None]
    new = await _compute(documents, missing, compute)
    # Runs that were deleted in the meantime are left out.
    bodies = [known[row.key] or new.get(row.key) for row in page]
    items = b",".join(body for body in bodies if body)
    body = b'{"items":[%b],"next":%b}' % (items, json.dumps(cursor).encode())
    for row in missing:
        if row.is_final and row.key in new:
            documents.resources.writer.add(row.key, row.version, new[row.key])
    return PacedResponse(documents.resources.delivering, body, media_type=JSON, headers=headers)


async def respond_with_item(
    documents: DocumentReader, select: Select, compute: Compute
) -> Response:
    """Return one item. Lists may contain the same stored item.

    Args:
        select: returns one row, or none if a viewer does not see the item.
        compute: returns the item, or raises an error if there is none.
    """
    known_version = await _identify(
        documents, lambda viewer: write_version_lookup(select(viewer), read_code_version())
    )
    if known_version is not None:
        return Response(status_code=304, headers=_make_headers(documents, known_version))
    resources, lookup = documents.resources, write_lookup(*_write_lookup(select, documents.viewer))
    rows = await resources.database.look_up(*lookup)
    found = FoundDocument._make(rows[0]) if rows else None
    version = found.version if found is not None and found.is_final else None
    body = None if found is None else _find_body(documents, found)
    if body is None:
        body = await resources.database.read(lambda session: _encode(compute(session)))
        if found is not None and version is not None:
            resources.writer.add(found.key, version, body)
    headers = _make_headers(documents, version)
    return PacedResponse(resources.delivering, body, media_type=JSON, headers=headers)


def _find_body(documents: DocumentReader, row: FoundDocument) -> bytes | None:
    """Return an item that was computed before and may not have changed since."""
    if not row.is_final:
        return None
    return row.body or documents.resources.writer.find(row.key, row.version)


async def _identify(
    documents: DocumentReader, write_version: Callable[[Viewer], Statement]
) -> str | None:
    """Identify the caller, and return the version of the document if the caller already has it."""
    if documents.if_none_match is None:
        await documents.identify()
        return None
    # The tag names the viewer that the document was sent to. Whether this is the caller is only
    # known after the statement.
    claimed = find_viewer(read_claimed_rights(documents.if_none_match))
    found = await documents.identify(None if claimed is None else write_version(claimed))
    known = read_known(documents.if_none_match, documents.rights)
    if not known:
        return None
    if found is None or claimed is None or claimed.variant != documents.rights:
        rows = await documents.resources.database.look_up(*write_version(documents.viewer))
        found = FoundVersion._make(rows[0]) if rows else None
    if found is None or not found.is_final or not is_known(found.version, known):
        return None
    return found.version


def _write_version_lookup(select: Select, viewer: Viewer, version: Subject | None) -> Statement:
    if version is not None:
        return write_version_lookup(version, read_code_version())
    return write_list_version_lookup(*_write_lookup(select, viewer))


async def _find_version(documents: DocumentReader, version: Subject) -> str:
    statement = write_version_lookup(version, read_code_version())
    (row,) = await documents.resources.database.look_up(*statement)
    return FoundVersion._make(row).version


def _write_lookup(select: Select, viewer: Viewer) -> tuple[Subject, str, str]:
    return select(viewer), f":item-{viewer.variant}", read_code_version()


def _make_headers(documents: DocumentReader, version: str | None) -> dict[str, str]:
    return make_headers(version, documents.rights, is_public=not documents.viewer.is_member)


async def _compute(
    documents: DocumentReader, missing: Sequence[FoundDocument], compute: ComputeItems
) -> dict[str, bytes]:
    """Return the items by key."""
    if not missing:
        return {}
    keys = {_read_id(row): row.key for row in missing}

    def write(session: Session) -> dict[str, bytes]:
        items = compute(session, list(keys))
        return {keys[run_id]: _encode(item) for run_id, item in items.items()}

    return await documents.resources.database.read(write)


def _encode(item: BaseModel) -> bytes:
    return item.model_dump_json().encode()


def _read_id(row: FoundDocument) -> UUID:
    return UUID(row.key.split(":")[1])


def _name_next(last: FoundDocument) -> str:
    assert last.at is not None
    return encode_cursor(last.at, _read_id(last))
