"""A noun's router finds its own routes, and skips requests to other nouns."""

import pytest
from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from backend.api.http.router import API_PREFIX, NounRouter


@pytest.fixture
def client() -> TestClient:
    fruits = NounRouter(prefix="/fruits")
    logs = NounRouter()

    @fruits.get("")
    def list_fruits() -> str:
        return "all fruits"

    @fruits.get("/{name}")
    def get_fruit(name: str) -> str:
        return f"the fruit {name}"

    @logs.get("/logs.{suffix}")
    def export_logs(suffix: str) -> str:
        return f"the logs as {suffix}"

    api = APIRouter()
    api.include_router(fruits)
    api.include_router(logs)
    app = FastAPI()
    app.include_router(api, prefix=API_PREFIX)
    short = NounRouter(prefix="/badge")

    @short.get("/{name}.svg")
    def draw_badge(name: str) -> str:
        return f"the badge {name}"

    app.include_router(short)
    return TestClient(app)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (f"{API_PREFIX}/fruits", "all fruits"),
        (f"{API_PREFIX}/fruits/", "all fruits"),
        (f"{API_PREFIX}/fruits/fig", "the fruit fig"),
        (f"{API_PREFIX}/fruits/logs.csv", "the fruit logs.csv"),
        (f"{API_PREFIX}/logs.csv", "the logs as csv"),
        ("/badge/fig.svg", "the badge fig"),
    ],
)
def test_a_router_finds_its_routes(client: TestClient, path: str, answer: str) -> None:
    assert client.get(path).json() == answer


def test_other_paths_and_methods_are_refused(client: TestClient) -> None:
    assert client.get(f"{API_PREFIX}/vegetables").status_code == 404
    assert client.get("/fruits").status_code == 404
    assert client.delete(f"{API_PREFIX}/fruits").status_code == 405
