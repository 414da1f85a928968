"""Every response has the headers of the table, and no address takes unknown parameters.

`backend/tests/api/access/test_visibility.py` checks the headers of all GET operations with content.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from starlette.routing import Route

from backend import main
from backend.api.http.edge_policies import POLICIES
from backend.core.config import ROOT, Settings
from backend.core.db import unit_of_work
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.chosen_examples import SMALLEST, choose_examples
from backend.tests.edge import CACHING_OF_ROUTES, PAGES, check_edge
from backend.tests.factories import ask_run, succeed_next
from backend.tests.openapi import openapi_document

API = "/api/v1"
NAVIGATION = {"Accept": "text/html"}
QUERIES = {
    f"{method.upper()} {path}": sorted(
        parameter["name"] for parameter in get.get("parameters", []) if parameter["in"] == "query"
    )
    for path, methods in openapi_document()["paths"].items()
    for method, get in methods.items()
}
PROVIDER_COMES_BACK = f"{API}/session/oidc/callback"
# Values of parameters of paths that do not name anything.
NOTHING = {
    "suffix": "csv",
    "metric": "latency_p99_ms",
    "comparison_hash": "0" * 64,
    "group": "k3v9q2mx4d",
}


@pytest.fixture(scope="module")
def site(installation: Settings, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """The app with a built frontend and a route that fails."""
    root = tmp_path_factory.mktemp("root")
    dist = root / "frontend" / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html><title>Tacho</title>")
    (dist / "run-page.html").write_text(
        "<!doctype html><title>Tacho</title><script>1</script><div id='root'></div>"
    )
    (dist / "first-chart-links.html").write_text("")
    (dist / "api-docs.html").write_text("<!doctype html>")
    (dist / "favicon.svg").write_text("<svg/>")
    (dist / "assets" / "index-a1b2.js").write_text("export {}")
    (dist / "assets" / "index-a1b2.js.gz").write_bytes(gzip.compress(b"export {}"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "ASSETS", root)
        app = main.create_app()
    app.router.routes.insert(0, Route("/api/by-accident", _fail))
    return app


def _fail(_: object) -> None:
    raise RuntimeError("unforeseen")


@pytest.fixture(scope="module")
def _own(site: FastAPI) -> Iterator[TestClient]:
    with TestClient(
        site,
        "http://127.0.0.1:8000",
        client=("127.0.0.1", 1),
        raise_server_exceptions=False,
        follow_redirects=False,
    ) as client:
        yield client


@pytest.fixture
def owner(_own: TestClient, database: Settings) -> TestClient:
    """The local owner."""
    return _own


@pytest.fixture
def anyone(site: FastAPI, database: Settings) -> Iterator[TestClient]:
    """An anonymous visitor of the same site."""
    with TestClient(site, "http://127.0.0.1:8000", client=("203.0.113.5", 1)) as client:
        yield client


def _list_operations(app: FastAPI) -> list[tuple[str, str]]:
    return [
        (method, context.path or "")
        for context in iter_route_contexts(app.routes)
        if isinstance(context.original_route, Route)
        for method in sorted(context.methods or ())
    ]


def _fill(path: str) -> str:
    parameters = {part.partition("}")[0] for part in path.split("{")[1:]}
    return path.format(**{name: NOTHING.get(name, str(UUID(int=1))) for name in parameters})


def test_the_table_has_no_other_exceptions(site: FastAPI) -> None:
    assert {
        route: policy.caching
        for route, policy in POLICIES.items()
        if policy.caching != "private, no-store"
    } == CACHING_OF_ROUTES
    assert {route for route, policy in POLICIES.items() if policy.is_page} == set(PAGES)
    assert [route for route, policy in POLICIES.items() if policy.may_be_framed] == ["/embed/*"]
    assert {route for route, policy in POLICIES.items() if policy.ignores_parameters} == {
        *PAGES,
        "/choose/preview.png",
        "/assets/*",
        PROVIDER_COMES_BACK,
    }
    routes = {path for _, path in _list_operations(site)}
    assert {route for route in POLICIES if not route.endswith("*")} <= routes


def test_content_that_may_be_kept_has_an_etag() -> None:
    """Responses that browsers keep and ask about again declare 304, and no others do."""
    declared = {
        path
        for path, methods in openapi_document()["paths"].items()
        if "304" in methods.get("get", {}).get("responses", {})
    }

    assert declared == {route for route in CACHING_OF_ROUTES if route.startswith((API, "/badge/"))}


def test_every_route_has_the_headers_of_the_table(
    owner: TestClient, site: FastAPI, tmp_path: Path
) -> None:
    """Most of these are errors. Deleting and changing is tried with ids that do not exist."""
    operations = _list_operations(site)
    assert len(operations) > 120
    with choose_examples(tmp_path, SMALLEST):
        for method, path in operations:
            if path in {f"{API}/retention", "/api/by-accident"}:
                continue
            answer = owner.request(method, _fill(path))
            assert answer.status_code != 500, f"{method} {path}: {answer.text}"
            check_edge(answer, path)


@pytest.mark.parametrize(
    ("method", "path", "status", "route"),
    [
        ("GET", "/", 200, "/*"),
        ("HEAD", "/", 200, "/*"),
        ("GET", "/studies/x", 200, "/*"),
        ("GET", "/favicon.svg", 200, "/*"),
        ("POST", "/studies/x", 405, "/*"),
        ("GET", "/embed/r/k3v9q2mx4d", 200, "/embed/*"),
        ("GET", "/assets/index-a1b2.js", 200, "/assets/*"),
        ("GET", "/assets/missing.png", 404, "/assets/*"),
        ("GET", "/r/k3v9q2mx4d", 404, "/r/{run_id}"),
        ("GET", "/runs/new", 200, "/runs/{run_id}"),
        ("GET", "/api/docs", 200, "/api/docs"),
        ("GET", f"{API}/openapi.json", 200, None),
        ("GET", f"{API}/nothing", 404, None),
        ("PUT", f"{API}/runs", 405, f"{API}/runs"),
        ("GET", f"{API}/runs/", 307, None),
        ("GET", "/api/by-accident", 500, None),
        ("GET", "/a%00b", 422, "/*"),
        ("GET", f"{API}/runs?zz=1", 422, None),
    ],
)
def test_other_responses_have_them_too(
    owner: TestClient, method: str, path: str, status: int, route: str | None
) -> None:
    answer = owner.request(method, path, headers=NAVIGATION)

    assert answer.status_code == status
    check_edge(answer, route)
    assert answer.headers["x-request-id"]
    assert answer.headers["server-timing"]


def test_a_body_that_is_too_large_is_refused_with_them(owner: TestClient) -> None:
    answer = owner.post(RUNS, content=b"x" * (3 * 1024 * 1024))

    problem(answer, 413, "too_large")
    check_edge(answer, None)


def test_nobody_keeps_private_runs_or_the_audit_log(
    owner: TestClient, anyone: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, title="Secret", visibility="private").slug
        succeed_next(session, host_id)
    exports = [f"{API}/runs/{slug}/export.{suffix}" for suffix in ("json", "csv", "md")]

    for path in exports:
        answer = owner.get(path)
        assert answer.status_code == 200
        check_edge(answer, f"{API}/runs/{{run_id}}/export.{{suffix}}", is_private=True)
    for suffix in ("csv", "json"):
        answer = owner.get(f"{API}/audit.{suffix}")
        assert answer.status_code == 200
        check_edge(answer, None)
    picture = f"/r/{slug}/preview.png"
    check_edge(owner.get(picture), "/r/{run_id}/preview.png", is_private=True)
    owner.patch(f"{RUNS}/{slug}", json={"visibility": "public"})
    check_edge(anyone.get(picture), "/r/{run_id}/preview.png")


def test_a_snapshot_is_checked_each_time(owner: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session, visibility="private")
        cell = succeed_next(session, host_id).cell_id
    digest = document(owner.post(f"{API}/comparisons", json={"cells": [str(cell)]}), 201)["hash"]
    path = f"{API}/comparisons/{digest}"

    answer = owner.get(path)
    again = owner.get(path, headers={"If-None-Match": answer.headers["etag"]})

    assert (answer.status_code, again.status_code) == (200, 304)
    for found in (answer, again):
        check_edge(found, f"{API}/comparisons/{{comparison_hash}}", is_private=True)


def test_every_operation_refuses_an_unknown_parameter(owner: TestClient) -> None:
    for operation, known in QUERIES.items():
        method, _, path = operation.partition(" ")
        answer = owner.request(method, f"{_fill(path)}?zz=1")

        if path == PROVIDER_COMES_BACK:
            assert answer.headers["location"] == "/sign-in?refused=not_started"
            continue
        found = faults(answer)
        assert list(found) == ["zz"], operation
        told = f"Use one of {', '.join(known)}." if known else "has none"
        assert told in found["zz"], operation


def test_wrong_parameters_are_explained(owner: TestClient) -> None:
    misspelt = owner.get(f"{RUNS}?limt=3&frameworks=node")
    repeated = owner.get(f"{RUNS}?limit=1&limit=2")
    listed = owner.get(f"{API}/history?framework=node&framework=null-server&scenario=hello")
    many = owner.get(f"{RUNS}?{'&'.join(f'z{number}=1' for number in range(5_000))}")

    assert faults(misspelt) == {
        "limt": "is not a known parameter of this address. Did you mean 'limit'?",
        "frameworks": "is not a known parameter of this address. Did you mean 'framework'?",
    }
    assert faults(repeated) == {"limit": "is given more than once; send it once."}
    assert listed.status_code == 200
    assert faults(many) == {"query": "may have at most 200 parameters; remove some."}


def test_a_page_ignores_foreign_parameters(owner: TestClient, host_id: UUID) -> None:
    slug = document(owner.post(RUNS, json=body()), 202)["slug"]

    for path in ("/", "/studies", f"/r/{slug}", f"/runs/{slug}"):
        plain = owner.get(path, headers=NAVIGATION)
        tagged = owner.get(f"{path}?utm_source=mail&utm_source=2&zz", headers=NAVIGATION)
        assert (tagged.status_code, tagged.text) == (200, plain.text)


def test_only_the_edge_sets_these_headers() -> None:
    names = ("cache-control", "content-security-policy", "x-content-type-options")
    found = {
        str(path.relative_to(ROOT))
        for path in Path(ROOT, "backend").rglob("*.py")
        if "tests" not in path.parts
        and any(f'"{name}' in path.read_text().lower() for name in names)
    }

    # The edge does not see the responses that the HTTP protocol itself writes.
    assert found <= {"backend/api/http/edge.py", "backend/api/http/protocol.py"}
