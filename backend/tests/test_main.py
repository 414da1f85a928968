"""The whole app: pages next to the API, and errors as problem documents."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend import main
from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.tests.answers import document, problem

SCRIPT = "export {}"
PAGE = "<!doctype html><title>Tacho</title>"
API_DOCS = "<!doctype html><title>REST API</title>"
NAVIGATION = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def app(installation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """The app of an installation with a built frontend and a secret file next to it."""
    root = tmp_path_factory.mktemp("root")
    dist = root / "frontend" / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text(PAGE)
    (dist / "api-docs.html").write_text(API_DOCS)
    (dist / "favicon.svg").write_text("<svg/>")
    (dist / "assets" / "index-a1b2.js").write_text(SCRIPT)
    (dist / "assets" / "index-a1b2.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (root / "frontend" / "secret.txt").write_text("hunter2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "ASSETS", root)
        yield main.create_app()


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, client=("127.0.0.1", 1)) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/runs/new", "/studies/x", "/hosts/bench.example.org", "/apiary"]
)
def test_every_page_returns_the_single_page_app(client: TestClient, path: str) -> None:
    answer = client.get(path, headers=NAVIGATION)

    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/api/v1/metrics", "/api/v1/runs/missing", "/"])
def test_every_response_has_a_server_timing(client: TestClient, path: str) -> None:
    begun = perf_counter()
    answer = client.get(path, headers=NAVIGATION)
    whole_ms = (perf_counter() - begun) * 1e3

    name, _, duration = answer.headers["server-timing"].partition(";dur=")
    assert name == "total"
    assert 0 < float(duration) <= whole_ms


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("br;q=1.0, gzip;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
    ],
)
def test_an_asset_is_compressed_if_the_client_accepts_it(
    client: TestClient, accepted: str, coding: str | None
) -> None:
    answer = client.get("/assets/index-a1b2.js", headers={"Accept-Encoding": accepted})

    assert answer.text == SCRIPT
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/assets/index-old.js", "/robots.txt", "/assets/none"])
def test_a_missing_file_is_not_found(client: TestClient, path: str) -> None:
    problem(client.get(path), 404, "not_found")


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt"]
)
def test_files_outside_the_frontend_are_not_served(client: TestClient, path: str) -> None:
    assert "hunter2" not in client.get(path).text


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/runs"])
def test_an_unknown_path_of_the_api_is_not_found(client: TestClient, path: str) -> None:
    problem(client.get(path, headers=NAVIGATION), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/v1/runs", "GET, POST"),
        ("PUT", "/api/v1/runs/x", "DELETE, GET, PATCH"),
        ("GET", "/api/v1/runs/x/cancel", "POST"),
        ("POST", "/api/v1/metrics", "GET"),
    ],
)
def test_a_refused_method_is_reported_with_the_allowed_ones(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)

    error = problem(answer, 405, "method_not_allowed")
    assert f"{method} {path}" in error["detail"]
    assert answer.headers["allow"] == allowed


def test_pages_accept_only_reads(client: TestClient) -> None:
    problem(client.post("/runs/new"), 405, "method_not_allowed")


def test_nul_in_a_path_is_not_found(client: TestClient) -> None:
    assert client.get("/a%00b").status_code == 422


def test_the_api_works_without_a_built_frontend(
    installation: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "ASSETS", tmp_path)
    with TestClient(main.create_app()) as client:
        assert document(client.get("/api/v1/metrics"))["items"]
        problem(client.get("/runs/new"), 404, "not_found")


def test_the_openapi_document_and_its_viewer_are_served(client: TestClient) -> None:
    assert document(client.get("/api/v1/openapi.json"))["info"]["title"] == "Tacho"
    page = client.get("/api/docs")
    assert (page.status_code, page.text) == (200, API_DOCS)
    directives = page.headers["content-security-policy"].split("; ")
    assert "default-src 'self'" in directives
    assert not [rule for rule in directives if rule.startswith("script-src")]
    problem(client.post("/api/docs"), 405, "method_not_allowed")


class Unforeseen(TachoError):
    """An internal error of Tacho."""


def _fail_on_purpose() -> None:
    raise Unforeseen("A part of Tacho failed.", part="test")


def _fail_by_accident() -> None:
    raise RuntimeError("password=hunter2")


@pytest.fixture
def failing(installation: Settings) -> Iterator[TestClient]:
    """The app with two additional routes that fail."""
    app = main.create_app()
    app.get("/api/on-purpose")(_fail_on_purpose)
    app.get("/api/by-accident")(_fail_by_accident)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def test_an_error_of_tacho_has_its_code_and_details(failing: TestClient) -> None:
    error = problem(failing.get("/api/on-purpose"), 500, "internal_error")

    assert (error["detail"], error["part"]) == ("A part of Tacho failed.", "test")


def test_an_unexpected_error_reveals_no_details(failing: TestClient) -> None:
    answer = failing.get("/api/by-accident")

    error = problem(answer, 500, "internal_error")
    assert "GET /api/by-accident met an error that Tacho did not foresee" in error["detail"]
    assert "hunter2" not in answer.text
