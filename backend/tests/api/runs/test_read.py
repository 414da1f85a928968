"""GET /runs and /runs/{id}: pages, filters and visibility."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from backend.core.db import unit_of_work
from backend.core.documents import RunGoal
from backend.core.models import Run, Trial
from backend.core.runs import listing, repository
from backend.core.runs.progress import OVERHEAD_SECONDS
from backend.core.runs.repository import get_run
from backend.core.statuses import Role
from backend.core.units import Purpose
from backend.tests.accounts import add_member, add_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import add_host, ask_run, claim_next, fail_next, succeed_next


def ask(*frameworks: str, **changes: Any) -> Run:
    with unit_of_work() as session:
        return ask_run(session, frameworks or ("node",), **changes)


def slugs(
    client: TestClient, headers: Mapping[str, str] | None = None, **query: str | int
) -> list[str]:
    """Return the slugs of the first page."""
    return [
        run["slug"] for run in document(client.get(RUNS, params=query, headers=headers))["items"]
    ]


@pytest.fixture
def people(client: TestClient, host_id: UUID) -> Mapping[str, Mapping[str, str]]:
    """Two members of the first workspace, with their headers."""
    with unit_of_work() as session:
        return {
            name: sign_in(session, add_member(session, f"{name}@example.org", Role.MAINTAINER))
            for name in ("ann", "ben")
        }


def post(client: TestClient, headers: Mapping[str, str], **changes: Any) -> str:
    """Request a run, and return its slug."""
    body = {"cells": [{"framework": "node", "scenario": "hello"}], "trials": 1} | changes
    return str(document(client.post(RUNS, json=body, headers=headers), 202)["slug"])


def test_pages_list_every_run_once_and_newest_first(client: TestClient, host_id: UUID) -> None:
    # All are created in one transaction, so only their ids differ in order.
    with unit_of_work() as session:
        asked = [ask_run(session).slug for _ in range(4)]
    asked += [ask().slug for _ in range(3)]
    for limit in (1, 3, 7, 100):
        seen: list[str] = []
        cursor: str | None = None
        for _ in range(10):
            query = {"limit": limit} | ({"cursor": cursor} if cursor else {})
            page = document(client.get(RUNS, params=query))
            assert len(page["items"]) <= limit
            seen += [run["slug"] for run in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break

        assert seen == asked[::-1]


def test_a_run_that_could_not_be_finalized_shows_the_reason(
    client: TestClient, host_id: UUID
) -> None:
    slug = ask().slug
    assert document(client.get(f"{RUNS}/{slug}"))["finalization_failure"] is None

    with unit_of_work() as session:
        repository.note_failure(session, get_run(session, slug).id, "ValueError: no")

    failure = document(client.get(f"{RUNS}/{slug}"))["finalization_failure"]
    assert (failure["detail"], failure["attempts"]) == ("ValueError: no", 1)
    assert datetime.fromisoformat(failure["next_at"]) > datetime.now(UTC)


def test_a_new_run_does_not_shift_pages(client: TestClient, host_id: UUID) -> None:
    asked = [ask().slug for _ in range(4)]
    first = document(client.get(RUNS, params={"limit": 2}))

    ask()

    second = document(client.get(RUNS, params={"limit": 2, "cursor": first["next"]}))
    seen = [run["slug"] for run in [*first["items"], *second["items"]]]
    assert seen == asked[::-1]
    assert second["next"] is None


@pytest.mark.parametrize("few", [1, 2, 1_000])
def test_runs_are_filtered_by_content_and_outcome(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(listing, "_FEW_RUNS", few)
    with unit_of_work() as session:
        both = ask_run(session, ["node", "fastapi"]).slug
        for _ in range(2):
            succeed_next(session, host_id)
    with unit_of_work() as session:
        slow = ask_run(session, ["node"], scenario="slow-upstream").slug
        fail_next(session, host_id)
    queued = ask("go-nethttp").slug

    assert slugs(client) == [queued, slow, both]
    assert slugs(client, framework="node") == [slow, both]
    assert slugs(client, framework="fastapi", scenario="hello") == [both]
    assert slugs(client, scenario="slow-upstream") == [slow]
    assert slugs(client, status="failed") == [slow]
    assert slugs(client, status="queued") == [queued]


def test_runs_are_filtered_by_host_requester_and_day(
    client: TestClient, people: Mapping[str, Mapping[str, str]]
) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-02")
    asked = {
        who: post(client, headers, host=host)
        for (who, headers), host in zip(people.items(), ("bench-01", "bench-02"), strict=True)
    }
    with unit_of_work() as session:
        long_ago = update(Run).where(Run.slug == asked["ann"])
        session.execute(long_ago.values(created_at=datetime(2026, 3, 1, 12, tzinfo=UTC)))
        by_token = select(Run).where(Run.slug == asked["ben"])
        session.scalars(by_token).one().requested_by = "ben@example.org (nightly)"
    seen = partial(slugs, client, people["ann"])

    assert seen(host="bench-02") == [asked["ben"]]
    assert seen(requested_by="ann@example.org") == [asked["ann"]]
    assert seen(requested_by="ben@example.org") == [asked["ben"]]
    assert seen(requested_by="ben@example.org (nightly)") == [asked["ben"]]
    assert seen(since="2026-03-01T12:00:00Z") == [asked["ben"], asked["ann"]]
    assert seen(since="2026-03-01T12:00:01Z") == [asked["ben"]]
    assert seen(until="2026-03-01T12:00:00Z") == []
    assert seen(until="2026-03-02T00:00:00+01:00") == [asked["ann"]]
    assert seen(host="bench-01", requested_by="ben@example.org") == []


def test_a_wrong_query_is_refused(
    client: TestClient, people: Mapping[str, Mapping[str, str]]
) -> None:
    post(client, people["ann"])
    queries: list[tuple[str, dict[str, str]]] = [
        *(("cursor", {"cursor": cursor}) for cursor in ("x", "%%%", "bm90IGEgY3Vyc29y", "é")),
        *(("limit", {"limit": limit}) for limit in ("0", "101", "many")),
        ("status", {"status": "done"}),
        ("framework", {"framework": "a\0b"}),
        ("framework", {"framework": "never-heard-of"}),
        ("scenario", {"scenario": "never-heard-of", "framework": "node"}),
        ("host", {"host": "never-heard-of", "status": "failed"}),
        ("requested_by", {"requested_by": "eve@example.org"}),
        ("sort", {"sort": "prettiest"}),
        ("since", {"since": "1795000000"}),
    ]
    for field, query in queries:
        refused = client.get(RUNS, params=query, headers=people["ann"])
        assert list(faults(refused)) == [field]
    # A member who has requested no run is known.
    assert slugs(client, people["ann"], requested_by="ben@example.org") == []


def test_only_members_see_requesters_and_filter_by_them(
    client: TestClient, visitor: TestClient, people: Mapping[str, Mapping[str, str]]
) -> None:
    with unit_of_work() as session:
        add_workspace(session, "other")
        owner = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        eve = sign_in(session, owner)
    slug = post(client, people["ann"], visibility="public")
    private = post(client, people["ann"], visibility="private")
    wanted = {"requested_by": "ann@example.org"}

    own = document(client.get(RUNS, headers=people["ben"]))["items"]
    assert [(run["slug"], run["requested_by"]) for run in own] == [
        (private, "ann@example.org"),
        (slug, "ann@example.org"),
    ]
    assert list(faults(visitor.get(RUNS, params=wanted))) == ["requested_by"]
    (listed,) = document(visitor.get(RUNS))["items"]
    opened = document(visitor.get(f"{RUNS}/{slug}"))
    assert (listed["slug"], listed["requested_by"]) == (slug, None)
    assert (opened["requested_by"], opened["is_own"]) == (None, False)
    # The person is unknown in another workspace.
    assert list(faults(client.get(RUNS, params=wanted, headers=eve))) == ["requested_by"]
    assert document(client.get(f"{RUNS}/{slug}", headers=eve))["is_own"] is False
    assert document(client.get(f"{RUNS}/{slug}", headers=people["ben"]))["is_own"] is True


def test_runs_are_sorted_across_pages(client: TestClient, host_id: UUID) -> None:
    started = datetime(2026, 11, 20, tzinfo=UTC)
    named = {}
    for name, title, minutes in (("a", "Zebra | 1", 9), ("b", "Ant", None), ("c", "Bee", 5)):
        named[ask(title=title).slug] = name
        if minutes is not None:
            with unit_of_work() as session:
                ended = update(Run).where(Run.title == title)
                took = {"started_at": started, "finished_at": started + timedelta(minutes=minutes)}
                session.execute(ended.values(**took))

    orders = {"newest": "cba", "oldest": "abc", "title": "bca", "longest": "acb"}
    for sort, order in orders.items():
        for filters in ({}, {"framework": "node"}):
            seen = []
            cursor: dict[str, str] = {}
            for _ in range(len(named)):
                query: dict[str, str | int] = {"sort": sort, "limit": 1, **filters, **cursor}
                page = document(client.get(RUNS, params=query))
                seen += [named[run["slug"]] for run in page["items"]]
                cursor = {"cursor": page["next"] or ""}

            assert ("".join(seen), cursor["cursor"]) == (order, "")


@pytest.mark.parametrize("few", [1, 2, 1_000])
def test_filtered_runs_leave_out_calibrations_and_are_ordered_by_creation(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(listing, "_FEW_RUNS", few)
    first, second, third = (ask("node").slug for _ in range(3))
    other = ask("go-nethttp").slug
    with unit_of_work() as session:
        calibrations = [
            ask_run(session, ["node"], purpose=Purpose.CALIBRATION).slug for _ in range(3)
        ]
    # The ids of runs need not have the order of their creation.
    later = datetime.now(UTC) + timedelta(hours=1)
    with unit_of_work() as session:
        session.execute(update(Run).where(Run.slug == first).values(created_at=later))

    assert slugs(client, framework="node") == [first, third, second]
    assert slugs(client) == [first, other, third, second]
    assert slugs(client, framework="node", purpose="calibration") == calibrations[::-1]


def test_the_queue_shows_how_many_runs_are_ahead_on_the_same_host(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-02")
        ask_run(session, host="bench-02")
        first, second = (ask_run(session, host="bench-01", count=2) for _ in range(2))
        claim_next(session, host_id)

    running = document(client.get(f"{RUNS}/{first.slug}"))
    queued = document(client.get(f"{RUNS}/{second.slug}"))

    assert (running["status"], running["progress"]["queue_position"]) == ("running", None)
    assert (queued["status"], queued["progress"]["queue_position"]) == ("queued", 1)
    assert queued["progress"]["estimated_seconds_left"] == 2 * (30 + 10 + 3)
    assert 0 <= running["progress"]["share"] < 0.5


def test_the_environment_of_a_run_omits_facts_of_single_frameworks(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        run = ask_run(session, ("node", "go-nethttp"), count=2)
        slugs = {cell.id: cell.framework.slug for cell in run.cells}
        for _ in run.trials:
            trial = succeed_next(session, host_id)
            trial.environment = {**trial.environment, "image": f"{slugs[trial.cell_id]}:1"}

    found = document(client.get(f"{RUNS}/{run.slug}"))

    assert "image" not in found["environment"]
    assert found["environment"]["host"]["cpu_model"] == "Test CPU"
    assert {cell["framework"]["slug"]: cell["environment"] for cell in found["cells"]} == {
        slug: {"image": f"{slug}:1"} for slug in ("node", "go-nethttp")
    }


def test_a_finished_run_is_shown_completely(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=3).slug
        for latency in (1.0, 2.0):
            succeed_next(session, host_id, [latency] * 10)
        fail_next(session, host_id)

    run = document(client.get(f"{RUNS}/{slug}"))

    assert (run["status"], run["progress"]["share"]) == ("failed", 1)
    assert run["progress"]["trials_failed"] == 1
    assert run["environment"]["host"]["cpu_model"] == "Test CPU"
    (cell,) = run["cells"]
    assert (cell["trials_succeeded"], cell["trials_failed"]) == (2, 1)
    assert [verdict["verdict"] for verdict in cell["verdicts"]] == ["too_few_trials"]
    throughput = cell["summary"]["throughput_rps"]
    assert (throughput["estimate"], throughput["n"], throughput["unit"]) == (
        pytest.approx(10),
        2,
        "req/s",
    )
    p50 = cell["summary"]["latency_p50_ms"]
    # The geometric mean of 1 ms and 2 ms.
    assert p50["estimate"] == pytest.approx(2**0.5, rel=0.01)
    # Two trials have no interval.
    assert (p50["low"], p50["high"]) == (None, None)
    assert p50["values"] == pytest.approx([1, 2], rel=0.01)
    assert p50["direction"] == "lower"
    succeeded, _, failed = run["trials"]
    assert [verdict["verdict"] for verdict in succeeded["verdicts"]] == ["ok"]
    assert succeeded["metrics"]["boot_ms"] == 100
    assert succeeded["stage_seconds"] == {"building": 0.5, "measuring": 1.0}
    assert (failed["failure"]["code"], failed["failure"]["stage"]) == ("build_failed", "building")
    assert failed["metrics"] == {}


def test_a_run_is_found_by_id_and_by_slug(client: TestClient, host_id: UUID) -> None:
    run = ask()
    found = document(client.get(f"{RUNS}/{run.slug}"))

    assert document(client.get(f"{RUNS}/{run.id}")) == found
    (cell,) = found["cells"]
    assert (cell["summary"], cell["verdicts"], cell["excluded"]) == ({}, [], False)
    for name in ("nothing", UUID(int=7), "é" * 20, "K3V9Q2MX4D", "a' or 1=1"):
        assert problem(client.get(f"{RUNS}/{name}"), 404, "not_found")["detail"]


def test_a_queued_run_estimates_the_wait_for_the_runs_ahead(
    client: TestClient, host_id: UUID
) -> None:
    load = {"warm_up_seconds": 5, "duration_seconds": 12}
    trial_seconds = 5 + 12 + OVERHEAD_SECONDS
    with unit_of_work() as session:
        ask_run(session, ["node", "fastapi"], count=2, parameters=load)
    second = ask().slug
    goal = RunGoal(max_trials=10, max_minutes=60)
    with unit_of_work() as session:
        ask_run(session, ["node", "fastapi"], count=None, goal=goal, parameters=load)
    last = ask().slug

    def read_wait(slug: str) -> float | None:
        progress = document(client.get(f"{RUNS}/{slug}"))["progress"]
        wait: float | None = progress["estimated_seconds_until_start"]
        return wait

    assert read_wait(second) == pytest.approx(4 * trial_seconds)
    own = document(client.get(f"{RUNS}/{second}"))["progress"]["estimated_seconds_left"]
    # A run with a goal may take until its limits.
    assert read_wait(last) == pytest.approx(4 * trial_seconds + own + 20 * trial_seconds)
    with unit_of_work() as session:
        claim_next(session, host_id)
    assert read_wait(second) == pytest.approx(4 * trial_seconds, abs=5)
    with unit_of_work() as session:
        for trial in session.scalars(select(Trial).where(Trial.status == "building")):
            trial.started_at = datetime.now(UTC) - timedelta(seconds=10)
    assert read_wait(second) == pytest.approx(4 * trial_seconds - 10, abs=5)
