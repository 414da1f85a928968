"""Pages are computed for each viewer; a conditional request gets no body until it changes."""

from hashlib import sha256
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import func, select, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.models import AccessToken, Run
from backend.core.statuses import TokenScope
from backend.tests.accounts import add_token, add_workspace
from backend.tests.answers import document, faults, problem
from backend.tests.api.results.comparisons.test_compare import measure
from backend.tests.asking import RUNS
from backend.tests.factories import add_host


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
        "run charts": f"{RUNS}/{slug}/charts",
        "history": f"/api/v1/history?{series}",
        "changes": f"/api/v1/history/changes?{series}",
        "leaderboard": "/api/v1/leaderboard?scenario=hello",
        "runs": RUNS,
    }


def revalidate(client: TestClient, path: str, answer: Response) -> Response:
    return client.get(path, headers={"If-None-Match": answer.headers["etag"]})


def test_a_page_has_the_digest_of_its_body_as_its_tag(client: TestClient, host_id: UUID) -> None:
    for path in paths(*finish(host_id)).values():
        found = client.get(path)

        assert found.headers["etag"] == f'W/"{sha256(found.content).hexdigest()}"', path
        again = revalidate(client, path, found)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == found.headers["etag"]
        for header in ("*", f'W/"0", {found.headers["etag"]}'):
            assert client.get(path, headers={"If-None-Match": header}).status_code == 304


def test_visitors_lose_a_run_that_becomes_private_on_every_page(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    slug, cells = finish(host_id)
    all_paths = paths(slug, cells)
    shown = {kind: visitor.get(path) for kind, path in all_paths.items()}
    assert {answer.status_code for answer in shown.values()} == {200}

    document(client.patch(f"{RUNS}/{slug}", json={"visibility": "private"}))

    for kind in ("run", "answer", "ranking", "latency", "run charts"):
        path = all_paths[kind]
        problem(visitor.get(path), 404, "not_found")
        problem(revalidate(visitor, path, shown[kind]), 404, "not_found")
        mine = client.get(path)
        assert mine.status_code == 200
        problem(revalidate(visitor, path, mine), 404, "not_found")
    for kind in ("comparison", "charts"):
        assert set(faults(visitor.get(all_paths[kind]))) == {"cells.0", "cells.1"}
    assert document(visitor.get(all_paths["history"]))["series"] == []
    assert document(visitor.get(all_paths["leaderboard"]))["entries"] == []
    assert document(visitor.get(all_paths["runs"]))["items"] == []
    assert len(document(client.get(all_paths["runs"]))["items"]) == 1


def test_a_conditional_request_gets_what_its_token_may_see(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        ours = add_token(session, None, TokenScope.READ)
        other = add_workspace(session)
        theirs = add_token(session, None, TokenScope.READ, workspace=other.slug)
    all_paths = paths(*finish(host_id, visibility="private"))
    requests = []
    for kind in ("run", "comparison", "runs", "leaderboard"):
        path = all_paths[kind]
        tag = {"If-None-Match": client.get(path, headers=ours).headers["etag"]}
        assert client.get(path, headers=ours | tag).status_code == 304
        assert client.get(path, headers=theirs | tag).status_code != 304
        requests.append((path, ours | tag))

    with unit_of_work() as session:
        session.execute(update(AccessToken).values(revoked_at=func.now()))

    for path, headers in requests:
        assert client.get(path, headers=headers).status_code != 304


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


def test_a_new_host_of_a_scenario_is_shown_to_those_who_see_its_results(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    finish(host_id)
    with unit_of_work() as session:
        other_id = add_host(session, "bench-02").id

    def list_hosts(reader: TestClient) -> list[str]:
        queries = ("history?scenario=hello&framework=node", "leaderboard?scenario=hello")
        of_history, of_board = (
            document(reader.get(f"/api/v1/{query}"))["hosts"] for query in queries
        )
        assert of_history == of_board
        return list(of_board)

    measure(other_id, frameworks=("go-nethttp",), host="bench-02", visibility="private")
    assert list_hosts(client) == ["bench-01", "bench-02"]
    assert list_hosts(visitor) == ["bench-01"]
    public, _ = finish(other_id, frameworks=("go-nethttp",), host="bench-02")
    assert list_hosts(visitor) == ["bench-01", "bench-02"]
    document(client.patch(f"{RUNS}/{public}", json={"visibility": "private"}))
    assert list_hosts(visitor) == ["bench-01"]


def test_a_client_without_gzip_gets_plain_text(client: TestClient, host_id: UUID) -> None:
    path = paths(*finish(host_id))["run"]

    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path, headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content)
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert packed.headers["etag"] == plain.headers["etag"]
    assert "Accept-Encoding" in plain.headers["vary"]
