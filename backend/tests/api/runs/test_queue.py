"""The queue shows per host what is measured, what waits, for how long, and the requester."""

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.core.catalog.repository import get_host
from backend.core.db import unit_of_work
from backend.core.models import Run, Trial
from backend.core.statuses import Role, TokenScope, TrialStatus
from backend.tests.accounts import add_member, add_token, add_workspace, sign_in
from backend.tests.answers import document
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host, ask_run, claim_next

QUEUE = "/api/v1/queue"
OTHER = "bench-02"


def test_runs_are_listed_in_the_order_in_which_they_are_measured(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        add_host(session, OTHER)
        first, second = (ask_run(session, title=name, host=HOST) for name in ("First", "Second"))
        second.created_at = first.created_at + timedelta(seconds=1)
        ask_run(session, title="Elsewhere", host=OTHER)
        claim_next(session, host.id)

    queue = document(client.get(QUEUE))

    here, there = queue["hosts"]
    assert queue["is_complete"]
    assert (here["host"], here["state"], here["is_usable"]) == (HOST, "busy", True)
    assert [item["run"]["title"] for item in here["runs"]] == ["First", "Second"]
    assert [item["run"]["status"] for item in here["runs"]] == ["running", "queued"]
    assert [item["run"]["title"] for item in there["runs"]] == ["Elsewhere"]
    running, waiting = here["runs"]
    assert running["expected_start_at"] is None
    start, end = (
        datetime.fromisoformat(waiting[name]) for name in ("expected_start_at", "expected_end_at")
    )
    assert running["expected_end_at"] is not None
    assert start < end


def test_a_run_waits_until_the_run_ahead_of_it_is_done_on_all_pages(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        first, second = (ask_run(session, title=name, host=HOST) for name in ("First", "Second"))
        second.created_at = first.created_at + timedelta(seconds=1)
        claim_next(session, host.id)
        # More seconds than the answers below take.
        began_at = func.now() - timedelta(seconds=6)
        running = update(Trial).where(Trial.status != TrialStatus.QUEUED)
        session.execute(running.values(started_at=began_at))
        slug = second.slug

    queue = document(client.get(QUEUE))
    ahead, waiting = (item["run"]["progress"] for item in queue["hosts"][0]["runs"])
    listed = {item["title"]: item["progress"] for item in document(client.get(RUNS))["items"]}
    own = document(client.get(f"{RUNS}/{slug}"))["progress"]

    left = ahead["estimated_seconds_left"]
    seconds_per_trial = waiting["estimated_seconds_left"] / waiting["trials_total"]
    assert left < ahead["trials_total"] * seconds_per_trial - 5
    assert listed["First"]["estimated_seconds_left"] == pytest.approx(left, abs=5)
    for shown in (waiting, listed["Second"], own):
        assert shown["queue_position"] == 1
        assert shown["estimated_seconds_until_start"] == pytest.approx(left, abs=5)


def test_a_host_that_takes_no_trials_has_no_expected_times(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        run = ask_run(session)
        run.created_at = func.now() - timedelta(hours=1)
        get_host(session, HOST).paused_at = func.now()
        slug = run.slug

    (host,) = document(client.get(QUEUE))["hosts"]

    assert host["state"] == "paused"
    (waiting,) = host["runs"]
    assert (waiting["expected_start_at"], waiting["expected_end_at"]) == (None, None)
    assert 3600 <= waiting["waited_seconds"] < 7200
    # Ended runs are not in the queue.
    document(client.post(f"{RUNS}/{slug}/cancel"))
    (host,) = document(client.get(QUEUE))["hosts"]
    assert host["runs"] == []


def test_members_see_who_requested_a_run_and_may_cancel_it(visitor: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        member = sign_in(session, add_member(session, "ann@example.org", Role.MEMBER))
        viewer = sign_in(session, add_member(session, "vic@example.org", Role.VIEWER))
        script = add_token(session, None, TokenScope.RUN)
    for headers in (member, script):
        document(visitor.post(RUNS, json=body(), headers=headers), 202)

    seen = {
        name: document(visitor.get(QUEUE, headers=headers))["hosts"][0]["runs"]
        for name, headers in (("member", member), ("viewer", viewer))
    }

    person, token = (item["requested_by"] for item in seen["member"])
    with unit_of_work() as session:
        assert {person, token} == {run.requested_by for run in session.query(Run)}
    assert person == "ann@example.org"
    assert [item["may_cancel"] for item in seen["member"]] == [True, True]
    assert [item["requested_by"] for item in seen["viewer"]] == [person, token]
    assert [item["may_cancel"] for item in seen["viewer"]] == [False, False]


def test_outsiders_see_neither_hidden_runs_nor_who_requested_public_ones(
    visitor: TestClient,
) -> None:
    with unit_of_work() as session:
        add_host(session)
        ask_run(session, visibility="unlisted", title="Secret")
        ask_run(session, visibility="public", title="Known")
        add_workspace(session, "other")
        outsider = sign_in(
            session, add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        )

    (member_of_other,) = document(visitor.get(QUEUE, headers=outsider))["hosts"]
    (anonymous,) = document(visitor.get(QUEUE))["hosts"]

    assert member_of_other["runs"] == []
    (known,) = anonymous["runs"]
    assert (known["run"]["title"], known["requested_by"]) == ("Known", None)
    assert known["may_cancel"] is False
