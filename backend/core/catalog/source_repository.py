"""SQL for the registered sources of bench hosts and of the installation. Never commits."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select, text, true
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, aliased, defer

from backend.core.catalog.study import StudyManifest
from backend.core.models import (
    Cell,
    Framework,
    Host,
    HostFramework,
    HostScenario,
    Scenario,
    Study,
)

# Digest and manifest of a source.
Content = tuple[str, object]

_Source = TypeVar("_Source", HostFramework, HostScenario)
_Entry = TypeVar("_Entry", Framework, Scenario)


def lock_catalogue(session: Session) -> None:
    """Lock the catalogue until commit, so that changes of it wait for each other."""
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('tacho.catalog', 0))"))


def find_registered(
    session: Session, table: type[_Source], host_id: UUID | None
) -> dict[str, _Source]:
    """Return the sources of a host by slug; None stands for the installation itself."""
    query = select(table).where(table.host_id.is_not_distinct_from(host_id))
    return {source.slug: source for source in session.scalars(query)}


def keep_unchanged(
    session: Session,
    table: type[_Source],
    host_id: UUID | None,
    contents: Mapping[str, Content],
) -> dict[str, _Source]:
    """Delete the sources of a host that are not as in `contents`, and return the others by slug.

    A changed source gets a new row, so that the database sets the time of its registration: a host
    must not choose it.
    """
    kept = {}
    for slug, source in find_registered(session, table, host_id).items():
        if (source.digest, source.manifest) == contents.get(slug):
            kept[slug] = source
        else:
            # A bench host may not delete from these tables itself.
            session.execute(select(getattr(func, f"delete_{table.__tablename__}")(source.id)))
            session.expunge(source)
    return kept


def list_differing(
    session: Session, table: type[_Source], entries: type[_Entry], host_ids: Collection[UUID]
) -> list[tuple[UUID, str, _Source | None]]:
    """Return what these hosts have instead of entries of the catalogue.

    Each row has the id of the host, the slug of the entry, and the host's source; None if it has
    none. A source with the same files is left out, unless it is unavailable. Manifests are read
    when they are needed.
    """
    differs = table.digest.is_distinct_from(entries.digest)
    if table is HostFramework:
        differs = or_(differs, HostFramework.unavailable.is_not(None))
    query = (
        select(Host.id, entries.slug, table)
        .select_from(Host)
        .join(entries, true())
        .outerjoin(table, and_(table.host_id == Host.id, table.slug == entries.slug))
        .where(Host.id.in_(host_ids), differs)
        .options(defer(table.manifest))
    )
    return [(host_id, slug, source) for host_id, slug, source in session.execute(query)]


class SourceKey(NamedTuple):
    """Identifies a source and its content. A host chooses the id, and the database the time."""

    source_id: UUID
    registered_at: datetime


def list_unknown(
    session: Session,
    table: type[_Source],
    known: Collection[SourceKey],
    host_ids: Collection[UUID] | None,
) -> Sequence[_Source]:
    """Return the sources that are not known: of these hosts, or all."""
    query = select(table.id, table.registered_at)
    if host_ids is not None:
        query = query.where(table.host_id.in_(host_ids))
    unknown = [key[0] for key in map(SourceKey._make, session.execute(query)) if key not in known]
    if not unknown:
        return []
    return session.scalars(select(table).where(table.id.in_(unknown)).order_by(table.slug)).all()


def list_all_frameworks(session: Session) -> Sequence[Framework]:
    """Return all frameworks, also those that were removed."""
    return session.scalars(select(Framework)).all()


def list_study_frameworks(session: Session) -> dict[str, frozenset[str]]:
    """Return the frameworks that stand for the systems of each study, by its slug."""
    studies = session.scalars(select(Study).where(Study.present))
    return {
        study.slug: frozenset(StudyManifest.model_validate(study.manifest).frameworks.values())
        for study in studies
    }


def list_changed(
    session: Session,
    table: type[_Source],
    entries: type[_Entry],
    left_out: Collection[UUID] = (),
) -> list[tuple[_Source, _Entry | None]]:
    """Return the source of each entry that counts for the catalogue, if the catalogue differs.

    Sources of the installation and of its own bench host count before those of hosts that joined,
    which must not change what others measure. Among the former the newest one counts, among the
    latter the oldest one. An entry that is not in the catalogue yet is None.

    Args:
        left_out: ids of sources that are not valid, which do not count.
    """
    # Another use of the table, because the statement reads it already.
    source_host = aliased(Host)
    has_joined = (
        select(source_host.id)
        .where(source_host.id == table.host_id, source_host.joined_at.is_not(None))
        .exists()
    )
    # Null for the sources of hosts that joined.
    trusted_at, trusted_id = (
        case((~has_joined, column)) for column in (table.registered_at, table.id)
    )
    counted = (
        _select_counted(table, left_out)
        .with_only_columns(table.id)
        .ext(distinct_on(table.slug))
        .order_by(
            *(table.slug, has_joined),
            *(trusted_at.desc(), trusted_id.desc()),
            *(table.registered_at, table.id),
        )
    )
    query = (
        select(table, entries)
        .outerjoin(entries, entries.slug == table.slug)
        .where(table.id.in_(counted), _differs(table, entries))
        .order_by(table.position, table.slug)
    )
    return [(source, entry) for source, entry in session.execute(query)]


def list_gone(
    session: Session,
    table: type[_Source],
    entries: type[_Entry],
    left_out: Collection[UUID] = (),
) -> Sequence[_Entry]:
    """Return the present entries without sources on any host or in the installation.

    Args:
        left_out: as in `list_changed`.
    """
    counted = _select_counted(table, left_out).with_only_columns(table.slug)
    query = select(entries).where(entries.present, entries.slug.not_in(counted))
    return session.scalars(query).all()


def delete_unused(session: Session, entry: Framework | Scenario) -> None:
    """Delete an entry of the catalogue that no cell has measured."""
    column = Cell.framework_id if isinstance(entry, Framework) else Cell.scenario_id
    if session.scalar(select(Cell.id).where(column == entry.id).limit(1)) is None:
        session.delete(entry)


def _select_counted(table: type[_Source], left_out: Collection[UUID]) -> Select[_Source]:
    """Select the sources of the installation and of its hosts, without those of revoked hosts."""
    query = select(table).outerjoin(Host, Host.id == table.host_id)
    return query.where(Host.revoked_at.is_(None), table.id.not_in(left_out))


def _differs(table: type[_Source], entries: type[_Entry]) -> ColumnElement[bool]:
    return or_(
        entries.present.is_distinct_from(True),
        entries.digest.is_distinct_from(table.digest),
        entries.manifest.is_distinct_from(table.manifest),
    )
