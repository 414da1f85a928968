"""A schedule as example data: packed, loaded on another installation, and removed."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import find_sources, put_source
from backend.core.changes.series import key_of
from backend.core.db import Base
from backend.core.documents import CellRequest, RunRequest, SourceFile
from backend.core.errors import InvalidRequest
from backend.core.models import (
    BuildSource,
    Change,
    Host,
    HostEvent,
    Incident,
    Run,
    Schedule,
    ScheduledRun,
    Trial,
)
from backend.core.operations.examples.bundle import read_bundle, write_bundle
from backend.core.operations.examples.schedule_bundle import pack_schedule
from backend.core.operations.examples.service import FOLDER, load_examples, remove_examples
from backend.core.statuses import ChangeStatus, ScheduledRunStatus
from backend.core.units import Metric
from backend.tests.factories import add_host, ask_run, first_workspace, succeed_next
from backend.tests.stored_changes import add_change

_AT = datetime(2026, 11, 20, 3, tzinfo=UTC)


@pytest.fixture
def host_id(session: Session) -> UUID:
    return add_host(session).id


def measure(session: Session, host_id: UUID, trials: int) -> Run:
    run = ask_run(session, count=trials, visibility="public")
    for _ in range(trials):
        succeed_next(session, host_id)
    return run


def add_schedule(session: Session, host_id: UUID, trials: int = 5) -> Schedule:
    """Return a schedule of two runs, with a confirmed change and a host event in the second."""
    before, after = (measure(session, host_id, trials) for _ in range(2))
    host = session.get_one(Host, host_id)
    request = RunRequest(cells=[CellRequest("node", "hello", None, {})], trials=5, host=host.name)
    schedule = Schedule(
        workspace_id=before.workspace_id,
        name="Nightly",
        cron="0 3 * * *",
        time_zone="UTC",
        request=request,
        next_at=_AT,
    )
    event = HostEvent(
        workspace_id=before.workspace_id,
        host_id=host_id,
        run_id=after.id,
        metric=Metric.LATENCY_P50_MS,
        at=after.created_at,
        ratio=1.2,
        series_shifted=4,
        series_total=4,
    )
    session.add_all([schedule, event])
    session.flush()
    for number, run in enumerate((before, after)):
        session.add(
            ScheduledRun(
                schedule_id=schedule.id,
                due_at=_AT.replace(day=20 + number),
                run_id=run.id,
                status=ScheduledRunStatus.ARRIVED,
                is_watched=False,
            )
        )
    add_change(session, before, after, host_event_id=event.id)
    return schedule


def forget_measurements(session: Session) -> None:
    """Delete what was measured, like an installation elsewhere that never had it."""
    for model in (Schedule, Change, HostEvent, Trial, Run, Host, BuildSource):
        session.execute(delete(model))
    session.expire_all()


def test_what_tacho_found_in_a_schedule_is_the_same_elsewhere(
    session: Session, host_id: UUID, tmp_path: Path
) -> None:
    bundle = pack_schedule(session, add_schedule(session, host_id))
    write_bundle(bundle, tmp_path / FOLDER / "schedule.json.gz")
    forget_measurements(session)

    (example,) = load_examples(session, first_workspace(session), tmp_path)
    (again,) = load_examples(session, first_workspace(session), tmp_path)

    assert example == again
    assert (example.title.endswith(", 2 runs"), len(example.run_slugs)) == (True, 2)
    host = session.scalars(select(Host)).one()
    change = session.scalars(select(Change)).one()
    assert (change.host_id, change.status) == (host.id, ChangeStatus.CONFIRMED)
    assert change.series_digest == key_of(change, change.metric).digest
    assert change.host_event_id == session.scalars(select(HostEvent)).one().id
    loaded = session.scalars(select(Schedule)).one()
    assert (loaded.next_at, loaded.host) == (None, host.name)
    assert len(session.scalars(select(ScheduledRun)).all()) == 2
    assert all(run.is_scheduled for run in session.scalars(select(Run)))

    assert remove_examples(session) == 2

    models: list[type[Base]] = [Schedule, ScheduledRun, Change, HostEvent, Run, Host]
    for table in models:
        assert not session.scalars(select(table)).all()


def test_the_sources_of_changed_builds_are_the_same_elsewhere(
    session: Session, host_id: UUID, tmp_path: Path
) -> None:
    schedule = add_schedule(session, host_id)
    session.scalars(select(Incident)).one().builds = {"node": {"before": "old", "after": "new"}}
    licence = SourceFile(path="LICENSE", sha256="licence", text="MIT\n")
    lock = SourceFile(path="package-lock.json", sha256="lock", text=None)
    for digest in ("old", "new", "of no change"):
        server = SourceFile(path="server.js", sha256=digest, text=f"{digest};\n")
        put_source(session, host_id, digest, "node", {"runtime": digest}, [licence, lock, server])
    bundle = pack_schedule(session, schedule)
    assert bundle["texts"] == {"licence": "MIT\n", "old": "old;\n", "new": "new;\n"}
    write_bundle(bundle, tmp_path / FOLDER / "schedule.json.gz")
    forget_measurements(session)

    load_examples(session, first_workspace(session), tmp_path)

    loaded = session.scalars(select(Host.id)).one()
    sources = find_sources(session, loaded, ["old", "new", "of no change"])
    assert sources.keys() == {"old", "new"}
    assert (sources["new"].program, sources["new"].versions) == ("node", {"runtime": "new"})
    server = SourceFile(path="server.js", sha256="new", text="new;\n")
    assert sources["new"].files == [licence, lock, server]
    remove_examples(session)
    load_examples(session, first_workspace(session), tmp_path)
    again = session.scalars(select(Host.id)).one()
    assert find_sources(session, again, ["old", "new"]).keys() == {"old", "new"}


def test_a_weak_bundle_is_refused_unless_it_is_of_an_older_version(
    session: Session, host_id: UUID, tmp_path: Path
) -> None:
    path = tmp_path / FOLDER / "schedule.json.gz"
    write_bundle(pack_schedule(session, add_schedule(session, host_id, trials=2)), path)
    forget_measurements(session)

    with pytest.raises(InvalidRequest, match="has 2 trials; a result needs 5"):
        load_examples(session, first_workspace(session), tmp_path)

    older = read_bundle(path)
    for key in ("version", "sources", "texts"):
        del older[key]
    write_bundle(older, path)
    assert load_examples(session, first_workspace(session), tmp_path)[0].loaded
