"""No response to an outsider contains a trace of unlisted or private runs.

Outsiders are anonymous visitors, and owners of another workspace. In the installation, hidden runs
are part of everything: parents of reruns, calibrations, confirmation runs, host events, scheduled
runs, studies and the current trial. The test calls every GET operation of the contract. No response
may contain a hidden id, slug or title.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from backend.api.process import callers
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.people.access.permissions import Permission
from backend.core.statuses import Role
from backend.core.units import Purpose
from backend.main import create_app
from backend.tests.accounts import add_member, add_workspace, sign_in
from backend.tests.answers import document, problem
from backend.tests.api.conftest import HERE, VISITOR
from backend.tests.edge import check_edge
from backend.tests.factories import HOST
from backend.tests.hidden_runs import OPERATIONS, STUDY, Known, add_known, select_queries, url_of
from backend.tests.installation import sweep_up

# The provider sends people there. All it answers is where to go next.
SINGLE_SIGN_ON = "/api/v1/session/oidc/callback"
OUTSIDERS = ("anonymous visitor", "owner of another workspace")


@pytest.fixture(scope="module")
def known(installation: Settings) -> Iterator[Known]:
    yield add_known()
    sweep_up()


@pytest.fixture(scope="module")
def visitor(known: Known) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        # The same visitor sends hundreds of requests.
        patch.setattr(callers, "BURST_SECONDS", 1e9)
        patch.setattr(callers, "FREE_SECONDS", 1e9)
        with TestClient(create_app(), HERE, client=VISITOR) as client:
            yield client


@pytest.fixture(scope="module")
def callers_of(known: Known) -> dict[str, dict[str, str]]:
    """The headers of the outsiders and of a member."""
    with unit_of_work() as session:
        add_workspace(session, "other")
        owner = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        member = add_member(session, "ada@example.org")
        return {
            "anonymous visitor": {},
            "owner of another workspace": sign_in(session, owner),
            "member": sign_in(session, member),
        }


@pytest.mark.parametrize("outsider", OUTSIDERS)
@pytest.mark.parametrize("path", OPERATIONS)
def test_no_response_reveals_a_hidden_run(
    path: str,
    outsider: str,
    known: Known,
    visitor: TestClient,
    callers_of: dict[str, dict[str, str]],
) -> None:
    answer = visitor.get(
        url_of(path, known.paths),
        params=select_queries(path, known.queries),
        headers=callers_of[outsider],
        follow_redirects=path != SINGLE_SIGN_ON,
    )

    if path == SINGLE_SIGN_ON:
        assert answer.headers["location"] == "/sign-in?refused=not_started"
        return
    check_edge(answer, path)
    assert answer.status_code in {200, 401, 403, 404, 422}
    if OPERATIONS[path] == Permission.OPEN and outsider == OUTSIDERS[0]:
        assert answer.status_code == 200, answer.text
    traces = known.list_traces()
    assert [what for trace, what in traces.items() if trace in answer.text] == []
    assert "Secret" not in answer.text


def test_members_keep_nothing_private(
    known: Known, visitor: TestClient, callers_of: dict[str, dict[str, str]]
) -> None:
    """The same operations, about a private run, for a person who may see it."""
    run = next(run for run in known.hidden if run.visibility == "private" and run.trials)
    (trial, *_) = run.trials
    private = Known(
        paths=known.paths
        | {"run_id": run.slug, "cell_id": str(trial.cell_id), "trial_id": str(trial.id)},
        queries=known.queries | {"cells": [str(trial.cell_id)]},
    )
    for path in OPERATIONS:
        if path.endswith("/events"):
            # The stream of a run that has not ended goes on.
            continue
        answer = visitor.get(
            url_of(path, private.paths),
            params=select_queries(path, private.queries),
            headers=callers_of["member"],
            follow_redirects=False,
        )
        # Badges show public results only, also to members.
        check_edge(answer, path, is_private=not path.startswith("/badge/"))


@pytest.mark.parametrize("purpose", list(Purpose))
def test_lists_of_every_purpose_hold_public_runs_only(
    purpose: str, known: Known, visitor: TestClient
) -> None:
    query = {"purpose": purpose, "sort": "title", "limit": "100"}
    answer = visitor.get("/api/v1/runs", params=query)

    assert answer.status_code == 200, answer.text
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


def test_members_see_hidden_runs(
    known: Known, visitor: TestClient, callers_of: dict[str, dict[str, str]]
) -> None:
    def read(path: str) -> dict[str, Any]:
        return document(visitor.get(f"/api/v1/{path}", headers=callers_of["member"]))

    host = read(f"hosts/{HOST}")
    run = read(f"runs/{known.paths['run_id']}")
    change = read(f"changes/{known.paths['change_id']}")

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
