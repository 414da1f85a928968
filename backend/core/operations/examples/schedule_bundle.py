"""A schedule as example data: its runs, and what Tacho found in their histories.

The file is a bundle as `backend.core.operations.examples.bundle` describes, with these keys instead
of `run`, `cells` and `trials`: `schedule`, `scheduled_runs`, `runs` (each with `run`, `cells`,
`trials`), `found` (rows by table that changes refer to, such as host events), `changes`, and
`sources` and `texts`: the builds of its incidents, and the texts of their files by SHA-256.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import find_sources, put_source
from backend.core.changes.series import key_of
from backend.core.db import Base
from backend.core.documents import BuildPair, JsonObject, SourceFile
from backend.core.models import (
    Cell,
    Change,
    Host,
    HostEvent,
    Incident,
    Run,
    Schedule,
    ScheduledRun,
)
from backend.core.operations.examples.bundle import make_row, pack_host, pack_measured, pack_row
from backend.core.runs import repository as runs
from backend.core.units import Metric


def pack_sources(
    session: Session, host_id: UUID, differences: Iterable[Mapping[str, BuildPair]]
) -> JsonObject:
    """Return the part of a bundle with the recorded sources of these builds.

    Args:
        host_id: of the host that measured them.
        differences: of each incident, the builds before and after it, by program.
    """
    digests = {
        digest
        for programs in differences
        for pair in programs.values()
        for digest in (pair["before"], pair["after"])
    }
    found = find_sources(session, host_id, digests)
    sources = sorted(found.values(), key=lambda source: source.digest)
    return {
        "sources": [
            {
                "digest": source.digest,
                "program": source.program,
                "versions": source.versions,
                "files": [
                    {"path": file["path"], "sha256": file["sha256"]} for file in source.files
                ],
            }
            for source in sources
        ],
        "texts": {
            file["sha256"]: file["text"]
            for source in sources
            for file in source.files
            if file["text"] is not None
        },
    }


def load_sources(session: Session, bundle: JsonObject, host_id: UUID) -> None:
    """Store the sources of a bundle for its host, without those that are recorded already.

    Bundles of version 2 have none. They are removed with the host when example data is removed.
    """
    texts: Mapping[str, str] = bundle.get("texts", {})
    for source in bundle.get("sources", ()):
        files = [
            SourceFile(path=file["path"], sha256=file["sha256"], text=texts.get(file["sha256"]))
            for file in source["files"]
        ]
        put_source(session, host_id, source["digest"], source["program"], source["versions"], files)


# Tables that changes refer to and that bundles hold in another form.
_ELSEWHERE = frozenset({"host", "cell", "run", "workspace"})
_OF_WORKSPACE = {"workspace_id"}
_OF_HOST = {"host_id"}


def pack_schedule(session: Session, schedule: Schedule) -> JsonObject:
    """Return the bundle of a schedule whose runs have all ended, with its confirmation runs."""
    query = select(ScheduledRun).where(ScheduledRun.schedule_id == schedule.id)
    scheduled = session.scalars(query.order_by(ScheduledRun.due_at)).all()
    run_ids = [row.run_id for row in scheduled if row.run_id is not None]
    cells = select(Cell.id).where(Cell.run_id.in_(run_ids))
    changes = session.scalars(select(Change).where(Change.after_cell_id.in_(cells))).all()
    confirming = {change.confirmation_run_id for change in changes} - {None, *run_ids}
    measured = [
        runs.get_run(session, str(run_id)) for run_id in [*run_ids, *sorted(confirming, key=str)]
    ]
    found = _list_found(session, changes, run_ids)
    host = measured[0].host
    incidents = [row for row in found[Incident.__tablename__] if isinstance(row, Incident)]
    return {
        **pack_host(session, host),
        "schedule": pack_row(schedule, _OF_WORKSPACE),
        "scheduled_runs": [pack_row(row, _OF_HOST) for row in scheduled],
        "runs": [pack_measured(session, run) for run in measured],
        "found": {
            table: [pack_row(row, _OF_WORKSPACE) for row in rows] for table, rows in found.items()
        },
        "changes": [pack_row(change, _OF_WORKSPACE) for change in changes],
        **pack_sources(session, host.id, [incident.builds for incident in incidents]),
    }


def load_findings(session: Session, workspace_id: UUID, bundle: JsonObject, host: Host) -> None:
    """Load everything of a schedule's bundle except its runs, which are loaded before.

    The schedule is paused: its host belongs to another installation.
    """
    request = bundle["schedule"]["request"] | {"host": host.name}
    own = {"workspace_id": workspace_id}
    session.add(make_row(Schedule, bundle["schedule"], **own, request=request, next_at=None))
    session.flush()
    session.add_all(
        make_row(ScheduledRun, row, host_id=host.id) for row in bundle["scheduled_runs"]
    )
    # Bundles of older versions do not contain this column.
    scheduled = [row["run_id"] for row in bundle["scheduled_runs"] if row["run_id"] is not None]
    session.execute(update(Run).where(Run.id.in_(scheduled)).values(is_scheduled=True))
    load_sources(session, bundle, host.id)
    models = {model.__tablename__: model for model in _list_models()}
    for table, rows in bundle["found"].items():
        if table in models:
            session.add_all(make_row(models[table], row, **own, host_id=host.id) for row in rows)
    session.flush()
    for row in bundle["changes"]:
        change = make_row(Change, row, **own, host_id=host.id)
        change.series_digest = key_of(change, Metric(change.metric)).digest
        session.add(change)
    session.flush()
    # Columns were given as JSON and are read again as their types.
    session.expire_all()


def remove_findings(session: Session) -> None:
    """Delete schedules, and what was found in their histories, of the hosts of example data."""
    hosts = {host.id: host.name for host in session.scalars(select(Host).where(Host.example))}
    for schedule in session.scalars(select(Schedule)):
        if schedule.request.host in hosts.values():
            session.delete(schedule)
    session.flush()
    session.execute(delete(Change).where(Change.host_id.in_(hosts)))
    for model in _list_models():
        column = model.__table__.columns["host_id"]
        session.execute(delete(model).where(column.in_(hosts)))


def _list_found(
    session: Session, changes: Sequence[Change], run_ids: Collection[UUID]
) -> Mapping[str, Sequence[Base]]:
    """Return the rows that changes refer to by table, and all host events of the runs."""
    found: dict[str, Sequence[Base]] = {}
    for column, model in _list_references():
        wanted = {getattr(change, column) for change in changes} - {None}
        if model is HostEvent:
            query = select(HostEvent.id).where(HostEvent.run_id.in_(run_ids))
            wanted |= set(session.scalars(query))
        identity = model.__table__.columns["id"]
        found[model.__tablename__] = session.scalars(
            select(model).where(identity.in_(wanted)).order_by(identity)
        ).all()
    return found


def _list_references() -> list[tuple[str, type[Base]]]:
    """Return the columns of a change that refer to a row of another table, with its model."""
    models = {mapper.class_.__tablename__: mapper.class_ for mapper in Base.registry.mappers}
    return [
        (column.name, models[key.column.table.name])
        for column in Change.__table__.columns
        for key in column.foreign_keys
        if key.column.table.name not in _ELSEWHERE
    ]


def _list_models() -> list[type[Base]]:
    return [model for _, model in _list_references()]
