"""SQL for frameworks, scenarios and hosts. Never commits."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial
from typing import NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, and_, any_, false, func, literal, or_, select, update
from sqlalchemy.orm import Session, defer, load_only

from backend.core.catalog.manifest import Mode
from backend.core.documents import HostDisk
from backend.core.errors import NotFound
from backend.core.models import Framework, Host, Scenario, Study, Workspace
from backend.core.schema import get_revision

Entry = TypeVar("Entry", Framework, Scenario)

# A host is offline when its worker has sent no heartbeat for this long.
OFFLINE_AFTER = timedelta(seconds=30)
# Modes of frameworks that users compare; reference services check Tacho's own measurements.
ORDINARY = (Mode.OOTB, Mode.TUNED)


def describe_missing(kind: str, plural: str, name: str) -> str:
    """Return the error message about a name that is not in the catalogue."""
    return f"There is no {kind} {name!r}. List the {plural}, and use one of them."


def list_frameworks(
    session: Session, modes: Collection[Mode] = ORDINARY, *, names_only: bool = False
) -> Sequence[Framework]:
    """Return present frameworks of these modes, ordered by language and name.

    Args:
        names_only: without their manifests, which are long.
    """
    mode = Framework.manifest["mode"].astext
    query = select(Framework).where(Framework.present, mode.in_(modes))
    if names_only:
        query = query.options(defer(Framework.manifest, raiseload=True))
    return session.scalars(query.order_by(Framework.language, Framework.name)).all()


def _find_entries(
    table: type[Entry],
    session: Session,
    slugs: Collection[str],
    *,
    with_removed: bool = False,
    names_only: bool = False,
) -> dict[str, Entry]:
    """Return present entries by slug.

    Args:
        with_removed: also those whose folder was removed.
        names_only: without their manifests, which are long.
    """
    if not slugs:
        return {}
    query = select(table).where(table.slug.in_(slugs))
    if not with_removed:
        query = query.where(table.present)
    if names_only:
        query = query.options(defer(table.manifest, raiseload=True))
    return {entry.slug: entry for entry in session.scalars(query)}


find_frameworks = partial(_find_entries, Framework)
find_scenarios = partial(_find_entries, Scenario)


def get_framework(session: Session, slug: str) -> Framework:
    """Return a framework, even if its folder was removed; raise NotFound."""
    framework = session.scalars(select(Framework).where(Framework.slug == slug)).one_or_none()
    if framework is None:
        raise NotFound(describe_missing("framework", "frameworks", slug))
    return framework


def list_scenarios(
    session: Session, *, is_reference: bool = False, names_only: bool = False
) -> Sequence[Scenario]:
    """Return present scenarios in catalogue order: ordinary ones, or those of calibration.

    Args:
        names_only: without their manifests, which are long.
    """
    # Scenarios stored by versions without this key are ordinary.
    stored = func.coalesce(Scenario.manifest["reference"].as_boolean(), false())
    query = select(Scenario).where(Scenario.present, stored.is_(is_reference))
    if names_only:
        query = query.options(defer(Scenario.manifest, raiseload=True))
    place = Scenario.manifest["position"].as_integer()
    return session.scalars(query.order_by(place.nulls_last(), Scenario.slug)).all()


def get_scenario(session: Session, slug: str) -> Scenario:
    """Return a scenario, even if its folder was removed; raise NotFound."""
    scenario = session.scalars(select(Scenario).where(Scenario.slug == slug)).one_or_none()
    if scenario is None:
        raise NotFound(describe_missing("scenario", "scenarios", slug))
    return scenario


def list_studies(session: Session, *, names_only: bool = False) -> Sequence[Study]:
    """Return present studies in catalogue order.

    Args:
        names_only: without their manifests, which are long.
    """
    query = select(Study).where(Study.present).order_by(Study.position, Study.slug)
    if names_only:
        query = query.options(defer(Study.manifest, raiseload=True))
    return session.scalars(query).all()


def find_study(session: Session, slug: str) -> Study | None:
    return session.scalars(select(Study).where(Study.slug == slug, Study.present)).one_or_none()


def get_study(session: Session, slug: str) -> Study:
    """Return a study; raise NotFound if there is none."""
    study = find_study(session, slug)
    if study is None:
        raise NotFound(describe_missing("study", "studies", slug))
    return study


def list_hosts(session: Session, *, with_revoked: bool = False) -> Sequence[Host]:
    """Return the bench hosts of this installation by name, without those of example data."""
    query = select(Host).where(~Host.example).order_by(Host.name)
    if not with_revoked:
        query = query.where(Host.revoked_at.is_(None))
    return session.scalars(query).all()


def list_of_ids(session: Session, host_ids: Collection[UUID]) -> Sequence[Host]:
    """Return these bench hosts in any order."""
    return session.scalars(select(Host).where(Host.id.in_(host_ids))).all()


def list_usable_hosts(session: Session, workspace_id: UUID | None) -> Sequence[Host]:
    """Return the bench hosts that a workspace may use, by name, without those that leave.

    Args:
        workspace_id: None returns the hosts that all workspaces may use.
    """
    query = select(Host).where(is_usable(workspace_id))
    return session.scalars(query.order_by(Host.name)).all()


class UsableHost(NamedTuple):
    """A bench host that a workspace may use.

    Attributes:
        is_available: whether it is online and takes trials.
    """

    id: UUID
    name: str
    is_available: bool


def list_usable_names(session: Session, workspace_id: UUID | None) -> list[UsableHost]:
    """Return what `list_usable_hosts` returns, without the facts about the machines."""
    query = select(Host.id, Host.name, _is_available()).where(is_usable(workspace_id))
    return [UsableHost._make(row) for row in session.execute(query.order_by(Host.name))]


def is_usable(workspace_id: UUID | None) -> ColumnElement[bool]:
    """Return the condition of `list_usable_hosts`."""
    slug = select(Workspace.slug).where(Workspace.id == workspace_id).scalar_subquery()
    # Null without a workspace.
    is_own = func.coalesce(slug == any_(Host.reserved_for), false())
    return and_(
        ~Host.example,
        or_(Host.reserved_for.is_(None), is_own),
        Host.leaving_at.is_(None),
        Host.revoked_at.is_(None),
    )


def list_hosts_reserved_for(session: Session, workspace: str) -> Sequence[Host]:
    """Return the bench hosts that are reserved for a workspace, by name.

    Args:
        workspace: slug of the workspace.
    """
    query = select(Host).where(literal(workspace) == any_(Host.reserved_for)).order_by(Host.name)
    return session.scalars(query).all()


def find_host(session: Session, name: str) -> Host | None:
    return session.scalars(select(Host).where(Host.name == name)).one_or_none()


def find_host_of_queue(session: Session, queue: str) -> Host | None:
    """Return the host whose worker takes its messages from a queue."""
    columns = load_only(*(getattr(Host, name) for name in Host.worker_columns))
    query = select(Host).where(Host.queue == queue).options(columns)
    return session.scalars(query).one_or_none()


def get_host(session: Session, name: str) -> Host:
    """Return a bench host; raise NotFound if there is none."""
    host = find_host(session, name)
    if host is None:
        raise NotFound(describe_missing("bench host", "hosts", name))
    return host


def lock_host(session: Session, name: str) -> Host:
    """Return a host of this installation, locked until commit; raise NotFound if there is none."""
    query = select(Host).where(Host.name == name, ~Host.example).with_for_update()
    host = session.scalars(query).one_or_none()
    if host is None:
        raise NotFound(describe_missing("bench host", "hosts", name))
    return host


def lock_leaving_hosts(session: Session) -> Sequence[Host]:
    """Return the hosts that leave, locked until commit, without those that are locked already."""
    query = select(Host).where(Host.leaving_at.is_not(None)).order_by(Host.name)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def touch_host(
    session: Session,
    host_id: UUID,
    disk_shortage: str = "",
    disks: Sequence[HostDisk] | None = None,
) -> None:
    """Record a heartbeat of a host's worker.

    Args:
        disk_shortage: which of its disks has too little free space; empty if none.
        disks: with their free space; None leaves those of the heartbeat before.
    """
    values = {"seen_at": func.now(), "disk_shortage": disk_shortage}
    if disks is not None:
        values["disks"] = list(disks)
    session.execute(update(Host).where(Host.id == host_id).values(values))


def touch_queue(session: Session, queue: str) -> None:
    """Record a heartbeat of the worker with a queue, which cannot register its host."""
    session.execute(update(Host).where(Host.queue == queue).values(seen_at=func.now()))


def is_online() -> ColumnElement[bool]:
    """Return the condition that a host sent a recent heartbeat, by the database's clock."""
    return Host.seen_at > func.now() - OFFLINE_AFTER


def list_available(session: Session) -> set[str]:
    """Return the names of online hosts that take trials."""
    return set(session.scalars(select(Host.name).where(_is_available())))


def _is_available() -> ColumnElement[bool]:
    has_schema = func.coalesce(Host.schema_revision == get_revision(), false())
    return and_(is_online(), has_schema, takes_trials())


def takes_trials() -> ColumnElement[bool]:
    """Return the condition that a host may take trials.

    Operators did not pause or revoke it, or let it leave, and its disks have enough free space.
    """
    return and_(
        Host.paused_at.is_(None),
        Host.leaving_at.is_(None),
        Host.revoked_at.is_(None),
        Host.disk_shortage == "",
    )
