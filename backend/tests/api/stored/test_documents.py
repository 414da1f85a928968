"""Documents of finished runs, histories and leaderboards: stored, versioned, and still private."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import delete, func, select, text, update

from backend.api.stored import documents as stored
from backend.core.db import unit_of_work
from backend.core.finalization.service import finalize_runs
from backend.core.models import AccessToken, Change, Framework, Run, StoredDocument
from backend.core.statuses import ChangeStatus, TokenScope
from backend.core.stored_documents import repository
from backend.tests.accounts import add_token, add_workspace
from backend.tests.answers import document, faults, problem
from backend.tests.api.comparisons.test_compare import measure
from backend.tests.asking import RUNS
from backend.tests.factories import add_host, ask_run, succeed_next
from backend.tests.histories import History
from backend.tests.late_writes import write_now

P50 = {"metric": "latency_p50_ms"}


def finish(host_id: UUID, **changes: Any) -> tuple[str, list[str]]:
    """Return slug and cells of a finalized public run, by default of two frameworks."""
    cells = measure(host_id, **{"frameworks": ("node", "go-nethttp")} | changes)
    finalize_runs()
    with unit_of_work() as session:
        slug = session.scalars(select(Run.slug).order_by(Run.created_at.desc())).first()
    assert slug is not None
    return slug, cells


def paths(slug: str, cells: list[str]) -> dict[str, str]:
    """Return the addresses of every kind of document."""
    both = "&".join(f"cells={cell}" for cell in cells)
    series = "framework=node&scenario=hello&metric=latency_p50_ms"
    return {
        "run": f"{RUNS}/{slug}",
        "answer": f"{RUNS}/{slug}/answer",
        "ranking": f"{RUNS}/{slug}/ranking",
        "comparison": f"/api/v1/comparisons?{both}",
        "charts": f"/api/v1/comparisons/charts?{both}",
        "latency": f"/api/v1/cells/{cells[0]}/latency",
        "heat map": f"/api/v1/cells/{cells[0]}/heatmap",
        "history": f"/api/v1/history?{series}",
        "changes": f"/api/v1/history/changes?{series}",
        "leaderboard": "/api/v1/leaderboard?scenario=hello",
        "runs": RUNS,
    }


KINDS = list(paths("", [""]))


def spoil(client: TestClient, body: bytes) -> None:
    """Replace all stored documents, so that a test sees which responses come from them."""
    write_now(client)
    with unit_of_work() as session:
        session.execute(update(StoredDocument).values(body=body))


def revalidate(client: TestClient, path: str, answer: Response) -> Response:
    return client.get(path, headers={"If-None-Match": answer.headers["etag"]})


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_response_is_the_stored_one(
    client: TestClient, host_id: UUID, kind: str
) -> None:
    path = paths(*finish(host_id))[kind]

    first = client.get(path)
    write_now(client)
    with unit_of_work() as session:
        assert repository.count_documents(session) > 0
    second = client.get(path)

    assert second.json() == document(first)
    assert second.headers["etag"] == first.headers["etag"]
    with unit_of_work() as session:
        known = session.scalars(select(StoredDocument.stored_at)).all()
    client.get(path)
    write_now(client)
    with unit_of_work() as session:
        assert session.scalars(select(StoredDocument.stored_at)).all() == known


@pytest.mark.parametrize("kind", KINDS)
def test_a_conditional_request_gets_no_body_until_something_changes(
    client: TestClient, host_id: UUID, kind: str
) -> None:
    slug, cells = finish(host_id)
    path = paths(slug, cells)[kind]
    first = client.get(path)

    again = revalidate(client, path, first)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]

    with unit_of_work() as session:
        name = session.scalars(select(Framework).where(Framework.slug == "node")).one()
        old, name.name = name.name, "Node.js renamed"
    try:
        changed = revalidate(client, path, first)
    finally:
        with unit_of_work() as session:
            session.execute(update(Framework).where(Framework.slug == "node").values(name=old))
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]
    if kind not in {"latency", "heat map", "charts", "changes"}:
        assert "Node.js renamed" in changed.text


@pytest.mark.parametrize("kind", ["run", "comparison", "runs", "leaderboard"])
def test_a_new_title_shows_at_once(
    client: TestClient, visitor: TestClient, host_id: UUID, kind: str
) -> None:
    slug, cells = finish(host_id)
    path = paths(slug, cells)[kind]
    first = document(visitor.get(path))

    document(client.patch(f"{RUNS}/{slug}", json={"title": "Another title"}))

    changed = visitor.get(path)
    assert "Another title" in changed.text
    assert document(changed) != first


@pytest.mark.parametrize("kind", ["run", "answer", "ranking", "latency", "heat map"])
def test_a_private_run_stays_hidden_from_visitors(
    client: TestClient, visitor: TestClient, host_id: UUID, kind: str
) -> None:
    slug, cells = finish(host_id)
    path = paths(slug, cells)[kind]
    shown = visitor.get(path)
    assert shown.status_code == 200
    document(client.get(path))

    document(client.patch(f"{RUNS}/{slug}", json={"visibility": "private"}))

    problem(visitor.get(path), 404, "not_found")
    problem(revalidate(visitor, path, shown), 404, "not_found")
    mine = client.get(path)
    assert mine.status_code == 200
    stolen = visitor.get(path, headers={"If-None-Match": mine.headers["etag"]})
    problem(stolen, 404, "not_found")
    # Stored by the request of the trusted caller, and still hidden.
    problem(visitor.get(path), 404, "not_found")


@pytest.mark.parametrize("kind", ["run", "comparison", "runs", "leaderboard"])
def test_a_conditional_request_gets_what_its_token_may_see(
    client: TestClient, host_id: UUID, kind: str
) -> None:
    with unit_of_work() as session:
        ours = add_token(session, None, TokenScope.READ)
        other = add_workspace(session)
        theirs = add_token(session, None, TokenScope.READ, workspace=other.slug)
    path = paths(*finish(host_id, visibility="private"))[kind]
    first = client.get(path, headers=ours)
    tag = {"If-None-Match": first.headers["etag"]}

    assert client.get(path, headers=ours | tag).status_code == 304
    assert client.get(path, headers=theirs | tag).status_code != 304
    with unit_of_work() as session:
        session.execute(update(AccessToken).values(revoked_at=func.now()))
    assert client.get(path, headers=ours | tag).status_code != 304


def test_lists_and_comparisons_lose_a_run_that_becomes_private(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    slug, cells = finish(host_id)
    all_paths = paths(slug, cells)
    for path in all_paths.values():
        assert visitor.get(path).status_code == 200

    document(client.patch(f"{RUNS}/{slug}", json={"visibility": "private"}))

    assert set(faults(visitor.get(all_paths["comparison"]))) == {"cells.0", "cells.1"}
    assert set(faults(visitor.get(all_paths["charts"]))) == {"cells.0", "cells.1"}
    assert document(visitor.get(all_paths["history"]))["series"] == []
    assert document(visitor.get(all_paths["leaderboard"]))["entries"] == []
    assert document(visitor.get(all_paths["runs"]))["items"] == []
    assert len(document(client.get(all_paths["runs"]))["items"]) == 1


def test_trusted_callers_and_visitors_get_documents_of_their_own(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    secret, _ = finish(host_id, visibility="private")
    slug, _ = finish(host_id)
    with unit_of_work() as session:
        (private,) = session.scalars(select(Run.id).where(Run.slug == secret))
        session.execute(update(Run).where(Run.slug == slug).values(rerun_of_id=private))
    path = f"{RUNS}/{slug}"

    for _ in range(2):
        mine, public = client.get(path), visitor.get(path)
        assert document(mine)["rerun_of"] == str(private)
        assert document(public)["rerun_of"] is None
        assert mine.headers["etag"] != public.headers["etag"]
        assert revalidate(visitor, path, mine).status_code == 200
        assert mine.headers["cache-control"] == "private, no-cache"
        assert public.headers["cache-control"] == "private, no-cache"
        assert {"Cookie", "Authorization"} <= set(public.headers["vary"].split(", "))


def test_a_new_limit_shows_in_the_gate_of_a_finished_run(client: TestClient, host_id: UUID) -> None:
    slug, _ = finish(host_id)
    assert document(client.get(f"{RUNS}/{slug}"))["gate"] is None

    limit = {"scenario": "hello", "metric": "latency_p50_ms", "limit": 0.001}
    document(client.post("/api/v1/slos", json=limit), 201)

    assert document(client.get(f"{RUNS}/{slug}"))["gate"]["passed"] is False


@pytest.mark.parametrize("kind", ["history", "leaderboard", "runs"])
def test_a_new_result_shows_at_once(client: TestClient, host_id: UUID, kind: str) -> None:
    path = paths(*finish(host_id))[kind]
    first = client.get(path)

    measure(host_id, 3.0)

    assert revalidate(client, path, first).status_code == 200
    assert client.get(path).json() != first.json()


def test_an_open_run_is_computed_for_each_request(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2, visibility="public").slug
    path = f"{RUNS}/{slug}"
    first = client.get(path)
    assert "etag" not in first.headers
    assert first.headers["cache-control"] == "private, no-cache"

    with unit_of_work() as session:
        succeed_next(session, host_id)

    assert document(client.get(path))["progress"]["trials_finished"] == 1
    listed = client.get(RUNS)
    assert document(listed)["items"][0]["progress"]["trials_finished"] == 1
    assert "etag" not in listed.headers


def test_a_list_reuses_the_items_that_did_not_change(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug, _ = finish(host_id)
    client.get(RUNS)
    spoil(client, b'{"slug":"stored"}')
    with unit_of_work() as session:
        queued = ask_run(session, visibility="public").slug

    assert [item["slug"] for item in document(client.get(RUNS))["items"]] == [queued, "stored"]

    document(client.patch(f"{RUNS}/{slug}", json={"title": "Another title"}))
    assert [item["slug"] for item in document(client.get(RUNS))["items"]] == [queued, slug]


def test_a_client_without_gzip_gets_plain_text(client: TestClient, host_id: UUID) -> None:
    path = paths(*finish(host_id))["run"]
    client.get(path)
    write_now(client)

    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path, headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


def test_other_code_computes_documents_again(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = paths(*finish(host_id))["run"]
    first = client.get(path)

    monkeypatch.setattr(stored, "read_code_version", lambda: "of another version")

    assert revalidate(client, path, first).status_code == 200


def test_a_calibration_of_the_host_changes_the_version_of_its_runs(
    client: TestClient, host_id: UUID
) -> None:
    path = paths(*finish(host_id))["ranking"]
    first = client.get(path)
    with unit_of_work() as session:
        ask_run(session, purpose="calibration")

    assert revalidate(client, path, first).status_code == 200


def test_a_heartbeat_of_a_host_changes_no_version(client: TestClient, host_id: UUID) -> None:
    path = paths(*finish(host_id))["history"]
    first = client.get(path)
    with unit_of_work() as session:
        session.execute(text("UPDATE host SET seen_at = now()"))
    assert revalidate(client, path, first).status_code == 304

    with unit_of_work() as session:
        add_host(session, "bench-02")
    assert revalidate(client, path, first).status_code == 200


def test_an_answer_depends_only_on_the_changes_that_its_run_tests(
    client: TestClient, host_id: UUID
) -> None:
    slug, cells = finish(host_id)
    path = paths(slug, cells)["answer"]
    first = client.get(path)

    find_change(host_id)
    assert revalidate(client, path, first).status_code == 304

    with unit_of_work() as session:
        (run_id,) = session.scalars(select(Run.id).where(Run.slug == slug))
        session.execute(update(Change).values(confirmation_run_id=run_id))
    second = revalidate(client, path, first)
    assert second.status_code == 200
    with unit_of_work() as session:
        session.execute(update(Change).values(reason="Another reason."))
    third = revalidate(client, path, second)
    assert third.status_code == 200
    with unit_of_work() as session:
        session.execute(delete(Change))
    assert revalidate(client, path, third).status_code == 200


@pytest.mark.parametrize("kind", ["history", "changes"])
def test_a_history_depends_only_on_its_own_frameworks(
    client: TestClient, host_id: UUID, kind: str
) -> None:
    path = paths(*finish(host_id))[kind]
    first = client.get(path)

    measure(host_id, frameworks=("go-nethttp",))
    assert revalidate(client, path, first).status_code == 304
    find_change(host_id)
    second = revalidate(client, path, first)
    assert second.status_code == 200

    with unit_of_work() as session:
        session.execute(update(Change).values(status=ChangeStatus.DISMISSED))
    third = revalidate(client, path, second)
    assert third.status_code == 200
    with unit_of_work() as session:
        session.execute(delete(Change))
    assert revalidate(client, path, third).status_code == 200


def test_a_leaderboard_depends_only_on_its_own_host(client: TestClient, host_id: UUID) -> None:
    finish(host_id)
    with unit_of_work() as session:
        other_id = add_host(session, "bench-02").id
    measure(other_id, host="bench-02")
    path = "/api/v1/leaderboard?scenario=hello&host=bench-01"
    first = client.get(path)

    measure(other_id, host="bench-02")
    assert revalidate(client, path, first).status_code == 304
    measure(host_id, frameworks=("go-nethttp",), host="bench-01")
    assert revalidate(client, path, first).status_code == 200


@pytest.mark.parametrize("path", ["history", "leaderboard"])
def test_a_new_host_of_a_scenario_shows_at_once(
    client: TestClient, visitor: TestClient, host_id: UUID, path: str
) -> None:
    finish(host_id)
    with unit_of_work() as session:
        other_id = add_host(session, "bench-02").id
    query = {"history": "framework=node", "leaderboard": "host=bench-01"}[path]
    url = f"/api/v1/{path}?scenario=hello&{query}"
    assert document(visitor.get(url))["hosts"] == ["bench-01"]

    measure(other_id, frameworks=("go-nethttp",), host="bench-02", visibility="private")
    assert document(client.get(url))["hosts"] == ["bench-01", "bench-02"]
    assert document(visitor.get(url))["hosts"] == ["bench-01"]
    public, _ = finish(other_id, frameworks=("go-nethttp",), host="bench-02")
    assert document(visitor.get(url))["hosts"] == ["bench-01", "bench-02"]
    document(client.patch(f"{RUNS}/{public}", json={"visibility": "private"}))
    assert document(visitor.get(url))["hosts"] == ["bench-01"]


def find_change(host_id: UUID) -> None:
    """Finalize runs of node on hello until a change is found."""
    with unit_of_work() as session:
        history = History(session, host_id)
        history.land(24, 10.0, {"node": "a" * 64})
        history.land(6, 10.8, {"node": "b" * 64})
        assert session.scalars(select(Change)).all()


def test_the_oldest_documents_are_deleted_when_the_table_is_full(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        session.execute(text("DELETE FROM stored_document"))
    for key in ("a", "b", "c"):
        with unit_of_work() as session:
            repository.put_documents(session, [(key, "1", b"x" * 100)])

    with unit_of_work() as session:
        repository.delete_oldest(session, most_bytes=250)
        assert session.scalars(select(StoredDocument.key).order_by("key")).all() == ["b", "c"]


@pytest.mark.parametrize("tamper", [lambda path: f"{path}?x=1", lambda path: f"{path}/"])
def test_a_missing_run_is_never_stored(
    client: TestClient, database: object, tamper: Callable[[str], str]
) -> None:
    for name in ("bcdfghjkmn", "x", "0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"):
        problem(client.get(f"{RUNS}/{name}"), 404, "not_found")
        problem(client.get(f"{RUNS}/{name}", headers={"If-None-Match": "*"}), 404, "not_found")
