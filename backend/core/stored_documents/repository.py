"""SQL of stored documents. The caller executes lookups; the other functions never commit."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg.rows import TupleRow
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.models import StoredDocument
from backend.core.stored_documents.subjects import Subject

# With more bytes, the documents that were stored first are deleted.
MOST_BYTES = 256_000_000

# Part of each lookup, a statement without a transaction: the rows of a subject, their versions,
# and their readers.
_FOUND = """
    WITH subject AS ({subject}),
    topics AS (
        SELECT string_agg(id::text, ',' ORDER BY id) AS state FROM data_version
        WHERE topic = ANY(%(topics)s::text[])
    ),
    found AS MATERIALIZED (
        SELECT subject.key || %(part)s::text AS key, subject.place, subject.owners,
            subject.is_final, subject.at,
            md5(concat_ws('|', %(code)s::text, subject.state, topics.state)) AS version
        FROM subject CROSS JOIN topics
    )
"""
_SELECT_BODIES = """
    SELECT found.key, found.owners, found.is_final, found.version, found.at,
        CASE WHEN found.version = ANY(%(known)s::text[]) THEN NULL ELSE document.body END AS body
    FROM found LEFT JOIN stored_document AS document
        ON document.key = found.key AND document.version = found.version
    ORDER BY found.place
"""
_SELECT_VERSION = "SELECT version, owners, is_final FROM found"
_SELECT_VERSIONS = "SELECT key, version FROM found"
# `name_version` computes the same version.
_SELECT_VERSION_OF_LIST = """
    SELECT md5(concat(string_agg(key || version, ',' ORDER BY place))) AS version,
        NULL::uuid[] AS owners, coalesce(bool_and(is_final), true) AS is_final
    FROM found
"""
_JOINED = """
    SELECT version.*, other.*
    FROM (SELECT) AS always LEFT JOIN ({version}) AS version ON true
        LEFT JOIN (SELECT true AS is_found, row.* FROM ({other}) AS row) AS other ON true
"""

Statement = tuple[str, Mapping[str, object]]


class FoundVersion(NamedTuple):
    """The version of a document.

    Attributes:
        owners: the workspaces of its private runs; None if it has none, or if the statement only
            selects runs that its viewer sees.
        is_final: whether the document stays the same as long as its version does.
    """

    version: str
    owners: Sequence[UUID] | None
    is_final: bool


class FoundDocument(NamedTuple):
    """A row of a subject, and the document that is stored about it.

    Attributes:
        owners: the workspaces of its private runs; None if it has none.
        is_final: whether the document stays the same as long as its version does.
        at: creation time of the run.
        body: None if none is stored, or if the caller has this version.
    """

    key: str
    owners: Sequence[UUID] | None
    is_final: bool
    version: str
    at: datetime | None
    body: bytes | None


def write_lookup(subject: Subject, part: str, code: str, known: Collection[str] = ()) -> Statement:
    """Return the statement that finds a document, with its parameters.

    Args:
        part: which of the documents about the subject.
        code: version of the code that computes the document.
        known: versions whose body is not needed.
    """
    parameters = {**_read_parameters(subject, part, code), "known": list(known)}
    return "".join((_FOUND.format(subject=subject.query), _SELECT_BODIES)), parameters


def write_version_lookup(subject: Subject, code: str) -> Statement:
    """Return the statement that finds the version of a document. Its row is a FoundVersion."""
    parameters = _read_parameters(subject, "", code)
    return "".join((_FOUND.format(subject=subject.query), _SELECT_VERSION)), parameters


def write_list_version_lookup(subject: Subject, part: str, code: str) -> Statement:
    """Return the statement that finds the version of a list. Its row is a FoundVersion.

    `name_version` returns the same version for the rows of the list.
    """
    parameters = _read_parameters(subject, part, code)
    return "".join((_FOUND.format(subject=subject.query), _SELECT_VERSION_OF_LIST)), parameters


def read_versions(session: Session, subject: Subject, code: str) -> dict[str, str]:
    """Return the versions of the rows of a subject by key, in no order."""
    statement = "".join((_FOUND.format(subject=subject.query), _SELECT_VERSIONS))
    parameters = _read_parameters(subject, "", code)
    rows = session.connection().exec_driver_sql(statement, parameters)
    return {row.key: row.version for row in rows}


def join_version_lookup(version: Statement, other: Statement) -> Statement:
    """Return one statement that does a lookup of a version and another lookup of one row."""
    text = _JOINED.format(version=version[0], other=other[0])
    return text, {**version[1], **other[1]}


def split_joined_row(row: TupleRow) -> tuple[FoundVersion | None, list[TupleRow]]:
    """Return the version and the rows of the other lookup, which a joined lookup found."""
    size = len(FoundVersion._fields)
    has_version, (is_found, *other) = row[0] is not None, row[size:]
    version = FoundVersion._make(row[:size]) if has_version else None
    return version, [tuple(other)] if is_found else []


def name_version(rows: Sequence[FoundDocument]) -> str:
    """Return the version of a document that consists of these rows."""
    named = ",".join(row.key + row.version for row in rows)
    return hashlib.md5(named.encode(), usedforsecurity=False).hexdigest()


def _read_parameters(subject: Subject, part: str, code: str) -> dict[str, object]:
    topics = [str(topic) for topic in subject.topics]
    return {**subject.parameters, "topics": topics, "part": part, "code": code}


def put_documents(session: Session, documents: Collection[tuple[str, str, bytes]]) -> None:
    """Store documents as key, version and body, each instead of an earlier one with its key."""
    # Always in the same order, so that two transactions do not wait for each other in a cycle.
    rows = [
        {"key": key, "version": version, "body": body} for key, version, body in sorted(documents)
    ]
    insertion = insert(StoredDocument)
    new = insertion.excluded
    session.execute(
        insertion.on_conflict_do_update(
            index_elements=[StoredDocument.key],
            set_={"version": new.version, "body": new.body, "stored_at": func.now()},
        ),
        rows,
    )


def delete_oldest(session: Session, most_bytes: int = MOST_BYTES) -> None:
    """Delete the documents that were stored first, until the others fit into `most_bytes`."""
    session.execute(
        text(
            "DELETE FROM stored_document WHERE key IN (SELECT key FROM ("
            "SELECT key, sum(octet_length(body)) OVER (ORDER BY stored_at DESC, key) AS bytes "
            "FROM stored_document) AS newest WHERE bytes > :most)"
        ),
        {"most": most_bytes},
    )


def count_documents(session: Session) -> int:
    """Return the number of stored documents."""
    return session.scalar(select(func.count()).select_from(StoredDocument)) or 0
