"""No response to an outsider contains a trace of unlisted or private runs.

Outsiders are anonymous visitors, and owners of another workspace. In the installation, hidden runs
are part of everything: parents of reruns, calibrations, confirmation runs, host events, scheduled
runs, studies and the current trial. The test calls every GET operation of the contract. No response
may contain a hidden id, slug or title.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.core.access.permissions import Permission
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Change, HostEvent, Run, RunGroup, Schedule, ScheduledRun, User
from backend.core.runs import repository, service
from backend.core.runs.event_stream import RunStream, publish
from backend.core.runs.events import EndEvent
from backend.core.runs.slug import new_slug
from backend.core.schedules.service import create_schedule
from backend.core.snapshots import service as snapshots
from backend.core.statuses import Role, RunStatus, StudyVariant, Visibility
from backend.core.units import Metric, Purpose
from backend.main import create_app, openapi_document
from backend.tests.accounts import add_member, add_workspace, get_workspace, sign_in
from backend.tests.answers import document, problem
from backend.tests.api.conftest import HERE, VISITOR
from backend.tests.edge import check_edge
from backend.tests.factories import (
    HOST,
    add_host,
    ask_run,
    claim_next,
    first_workspace,
    succeed_next,
)
from backend.tests.histories import History
from backend.tests.installation import sweep_up

HIDDEN = (Visibility.UNLISTED, Visibility.PRIVATE)
NULL = CellRequest("null-server", "hello", "rate-quick", {"rate_rps": 1000})
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
STUDY = "jvm-backend-services"
QUERIES: Mapping[str, Any] = {
    "framework": "node",
    "scenario": "hello",
    "cron": "0 2 * * *",
    "limit": 100,
}
_GETS: Mapping[str, Any] = {
    path: methods["get"]
    for path, methods in openapi_document()["paths"].items()
    if "get" in methods
}
OPERATIONS = {path: get["x-permission"] for path, get in _GETS.items()}
# The provider sends people there. All it answers is where to go next.
SINGLE_SIGN_ON = "/api/v1/session/oidc/callback"
OUTSIDERS = ("anonymous visitor", "owner of another workspace")


@dataclass
class Known:
    """The public objects, and the runs that must stay hidden."""

    hidden: list[Run] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    queries: dict[str, Any] = field(default_factory=dict)

    def list_traces(self) -> dict[str, str]:
        """The texts that would reveal a hidden run, with their meaning."""
        traces: dict[str, str] = {}
        for run in self.hidden:
            name = f"{run.visibility} {run.purpose} {run.title!r}"
            traces |= {str(run.id): f"id of {name}", run.slug: f"slug of {name}"}
            traces |= {str(cell.id): f"cell of {name}" for cell in run.cells}
            traces |= {str(trial.id): f"trial of {name}" for trial in run.trials}
        return traces


@pytest.fixture(scope="module")
def known(installation: Settings) -> Iterator[Known]:
    found = Known()
    with unit_of_work() as session:
        host_id = add_host(session).id
        ids = [run_id for visibility in HIDDEN for run_id in _hide(session, host_id, visibility)]
        public = _publish(session, host_id, found)
        ids += _link_hidden(session, host_id, public)
        # The last step, so that the host measures a hidden run while others wait.
        waiting = [
            ask_run(session, visibility=item, title=f"Secret wait {item}") for item in HIDDEN
        ]
        claim_next(session, host_id)
        found.paths["group"] = _group(session, [public, *waiting])
        found.paths["queued"] = ask_run(session, visibility="public", title="Waits").slug
        ids += [run.id for run in waiting]
        session.flush()
        found.hidden = [repository.get_run(session, str(run_id)) for run_id in ids]
        comparison = snapshots.save(session, first_workspace(session), {"saved": True}, [public])
        found.paths["comparison_hash"] = comparison
    publish(RunStream(HOST, public.id), EndEvent(status=RunStatus.SUCCEEDED))
    yield found
    sweep_up()


def _group(session: Any, runs: list[Run]) -> str:
    """Put public and private runs into one group, and return its slug."""
    grouped = [run for run in runs if run.visibility != Visibility.UNLISTED]
    group = RunGroup(
        slug=new_slug(), workspace_id=first_workspace(session), request_digest="of a test"
    )
    repository.add_group(session, group, grouped)
    return group.slug


def _hide(session: Any, host_id: UUID, visibility: Visibility) -> list[UUID]:
    """Create ended runs of every kind with this visibility, newer than all public runs."""
    ended = ask_run(session, visibility=visibility, title=f"Secret {visibility}")
    succeed_next(session, host_id)
    study = RunRequest(
        cells=[CellRequest("node", "hello")],
        trials=1,
        title=f"Secret study {visibility}",
        visibility=visibility,
        study=(STUDY, StudyVariant.QUICK),
    )
    reproduced, _ = service.create_run(session, first_workspace(session), study)
    succeed_next(session, host_id)
    calibration, _ = service.create_run(
        session,
        first_workspace(session),
        RunRequest(
            cells=[NULL],
            trials=1,
            title=f"Secret calibration {visibility}",
            visibility=visibility,
            purpose=Purpose.CALIBRATION,
        ),
    )
    succeed_next(session, host_id)
    return [ended.id, reproduced.id, calibration.id]


def _publish(session: Any, host_id: UUID, found: Known) -> Run:
    """Create public runs with a change between them. One of them is a rerun of a hidden run."""
    history = History(session, host_id)
    history.land(24, 10.0, BUILDS[0])
    history.land(6, 10.8, BUILDS[1])
    for confirmation in session.scalars(select(Run).where(Run.purpose == Purpose.CONFIRMATION)):
        service.cancel_run(session, repository.get_run(session, str(confirmation.id)))
    public = ask_run(session, visibility="public", title="Known")
    trial = succeed_next(session, host_id)
    (change,) = session.scalars(select(Change)).all()
    found.paths |= {
        "run_id": public.slug,
        "trial_id": str(trial.id),
        "cell_id": str(trial.cell_id),
        "change_id": str(change.id),
        "incident_id": str(change.incident_id),
        "name": HOST,
        "metric": "latency_p50_ms",
        "suffix": "json",
        "framework": "node",
        "scenario": "hello",
        "webhook_id": str(UUID(int=1)),
    }
    found.queries = {**QUERIES, "cells": [str(trial.cell_id)]}
    return public


def _link_hidden(session: Any, host_id: UUID, public: Run) -> list[UUID]:
    """Make public rows refer to hidden runs in every possible column."""
    (change,) = session.scalars(select(Change)).all()
    confirmation = session.get_one(Run, change.confirmation_run_id)
    confirmation.visibility, confirmation.title = "unlisted", "Secret confirmation"
    secret = session.scalars(select(Run).where(Run.title == "Secret unlisted")).one()
    public.rerun_of_id = secret.id
    event = HostEvent(
        workspace_id=first_workspace(session),
        host_id=host_id,
        run_id=secret.id,
        metric=Metric.LATENCY_P50_MS,
        at=datetime(2026, 11, 1, tzinfo=UTC),
        ratio=1.2,
        series_shifted=2,
        series_total=2,
    )
    session.add(event)
    session.flush()
    change.host_event_id = event.id
    schedules = [
        create_schedule(
            session,
            first_workspace(session),
            name=f"{visibility} schedule",
            cron="0 2 * * *",
            time_zone="UTC",
            request=RunRequest([CellRequest("node", "hello")], 1, host=HOST, visibility=visibility),
        )
        for visibility in (Visibility.PUBLIC, Visibility.UNLISTED)
    ]
    session.add_all(
        ScheduledRun(
            schedule_id=schedule.id,
            due_at=datetime(2026, 11, 1 + at, tzinfo=UTC),
            run_id=run_id,
            status="missed" if run_id is None else "arrived",
            reason="previous_unfinished" if run_id is None else None,
            detail=f"Run {secret.slug} had not ended.",
            is_watched=False,
        )
        for schedule in schedules
        for at, run_id in enumerate((secret.id, None))
    )
    return [confirmation.id]


@pytest.fixture(scope="module")
def visitor(known: Known) -> Iterator[TestClient]:
    with TestClient(create_app(), HERE, client=VISITOR) as client:
        yield client


@pytest.fixture
def outsider(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The headers of a outsider."""
    if request.param == OUTSIDERS[0]:
        yield {}
        return
    with unit_of_work() as session:
        add_workspace(session, "other")
        owner = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        headers = sign_in(session, owner)
    yield headers
    with unit_of_work() as session:
        session.delete(session.get_one(User, owner.id))
        session.delete(get_workspace(session, "other"))


def url_of(path: str, known: Known) -> str:
    slugs = {"frameworks": "node", "scenarios": "hello", "studies": STUDY}
    noun = path.removeprefix("/api/v1/").partition("/")[0]
    names = {**known.paths, "slug": slugs.get(noun, "")}
    if "schedule_id" in path:
        with unit_of_work() as session:
            names["schedule_id"] = str(
                session.scalars(select(Schedule.id).where(Schedule.name.contains("unlisted"))).one()
            )
    return path.format(**names)


def select_queries(path: str, known: Known) -> dict[str, Any]:
    """Return the values of the parameters that an operation declares."""
    declared = {
        parameter["name"]
        for parameter in _GETS[path].get("parameters", [])
        if parameter["in"] == "query"
    }
    return {name: value for name, value in known.queries.items() if name in declared}


@pytest.mark.parametrize("outsider", OUTSIDERS, indirect=True)
@pytest.mark.parametrize("path", OPERATIONS)
def test_no_response_reveals_a_hidden_run(
    path: str, known: Known, visitor: TestClient, outsider: dict[str, str]
) -> None:
    answer = visitor.get(
        url_of(path, known),
        params=select_queries(path, known),
        headers=outsider,
        follow_redirects=path != SINGLE_SIGN_ON,
    )

    if path == SINGLE_SIGN_ON:
        assert answer.headers["location"] == "/sign-in?refused=not_started"
        return
    check_edge(answer, path)
    assert answer.status_code in {200, 401, 403, 404, 422}
    if OPERATIONS[path] == Permission.OPEN and "/steps" not in path and not outsider:
        assert answer.status_code == 200, answer.text
    traces = known.list_traces()
    assert [what for trace, what in traces.items() if trace in answer.text] == []
    assert "Secret" not in answer.text


def test_members_keep_nothing_private(known: Known) -> None:
    """The same operations, about a private run, for a person who may see it."""
    run = next(run for run in known.hidden if run.visibility == "private" and run.trials)
    (trial, *_) = run.trials
    private = Known(
        paths=known.paths
        | {"run_id": run.slug, "cell_id": str(trial.cell_id), "trial_id": str(trial.id)},
        queries=known.queries | {"cells": [str(trial.cell_id)]},
    )
    with TestClient(create_app(), HERE, client=("127.0.0.1", 1), follow_redirects=False) as client:
        for path in OPERATIONS:
            if path.endswith("/events"):
                # The stream of a run that has not ended goes on.
                continue
            answer = client.get(url_of(path, private), params=select_queries(path, private))
            # Badges show public results only, also to members.
            check_edge(answer, path, is_private=not path.startswith("/badge/"))


@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/cells"])
def test_lists_of_every_purpose_hold_public_runs_only(
    path: str, purpose: str, known: Known, visitor: TestClient
) -> None:
    answer = visitor.get(path, params={"purpose": purpose, "limit": 100})

    assert not [trace for trace in known.list_traces() if trace in answer.text]


def test_no_count_includes_hidden_runs(known: Known, visitor: TestClient) -> None:
    host = document(visitor.get(f"/api/v1/hosts/{HOST}"))
    queued = document(visitor.get(f"/api/v1/runs/{known.paths['queued']}"))
    studies = document(visitor.get("/api/v1/studies"))["items"]

    assert (host["current_run_id"], host["queued_trials"]) == (None, 1)
    assert queued["progress"]["queue_position"] == 0
    assert [study["reproductions"] for study in studies if study["slug"] == STUDY] == [0]


def test_a_calibration_shows_its_figures_but_not_its_hidden_run(
    known: Known, visitor: TestClient
) -> None:
    """The newest calibration is private, so the figures are those of the unlisted calibration."""
    calibration = document(visitor.get(f"/api/v1/hosts/{HOST}"))["calibration"]

    assert calibration["permalink"] is None
    assert calibration["overheads"]


def test_trusted_callers_see_hidden_runs(known: Known) -> None:
    with TestClient(create_app(), HERE, client=("127.0.0.1", 1)) as client:
        host = document(client.get(f"/api/v1/hosts/{HOST}"))
        run = document(client.get(f"/api/v1/runs/{known.paths['run_id']}"))
        change = document(client.get(f"/api/v1/changes/{known.paths['change_id']}"))

    assert host["current_run_id"] in {str(run.id) for run in known.hidden}
    assert host["calibration"]["permalink"]
    assert run["rerun_of"]
    assert change["confirmation"]["run_slug"]
    assert change["host_event_id"]


def test_a_hidden_run_opens_by_its_exact_name_if_unlisted_and_never_if_private(
    known: Known, visitor: TestClient
) -> None:
    for run in known.hidden:
        for name in (run.slug, run.id):
            answer = visitor.get(f"/api/v1/runs/{name}")
            if run.visibility == "unlisted":
                assert document(answer)["slug"] == run.slug
            else:
                problem(answer, 404, "not_found")
