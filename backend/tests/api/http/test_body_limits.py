"""Bodies have a limit of bytes by route, and faults are cheap."""

import json
import time
from collections.abc import Iterator

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel, ValidationError

from backend.api.deps import declare_permissions, needs
from backend.api.http.limits import ANONYMOUS_BYTES, BODY_LIMIT, RUN_BYTES, SIGNED_IN_BYTES
from backend.api.runs.schemas import RunIn
from backend.core.bodies import Schema
from backend.core.config import Settings
from backend.core.people.access.permissions import Permission
from backend.core.validation import MOST_FAULTS
from backend.tests.answers import problem
from backend.tests.api.http.connections import connect, read_all
from backend.tests.asking import RUNS
from backend.tests.openapi import openapi_document

SESSION = "/api/v1/session"
JSON = {"Content-Type": "application/json"}


def unknown_keys(most_bytes: int) -> str:
    """Return an object with as many unknown keys as these bytes hold."""
    return "{" + ",".join(f'"{number:05x}":1' for number in range((most_bytes - 20) // 10)) + "}"


def cells(most_bytes: int, cell: str) -> str:
    return '{"cells":[' + ",".join([cell] * ((most_bytes - 20) // (len(cell) + 1))) + "]}"


@pytest.mark.parametrize(
    ("path", "limit"),
    [(SESSION, ANONYMOUS_BYTES), ("/api/v1/workspaces", SIGNED_IN_BYTES), (RUNS, RUN_BYTES)],
)
@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "chunked"])
def test_each_route_has_a_limit_of_bytes(
    client: TestClient, path: str, limit: int, is_declared: bool
) -> None:
    def send(size: int) -> bytes | Iterator[bytes]:
        body = b"{" + b" " * (size - 2) + b"}"
        return body if is_declared else iter([body[:1_000], body[1_000:]])

    permitted = client.post(path, content=send(limit), headers=JSON)
    refused = client.post(path, content=send(limit + 1), headers=JSON)

    assert permitted.status_code == 422
    found = problem(refused, 413, "too_large")
    assert found["field"] == "body"
    assert found["detail"] == f"The body is larger than {limit:,} bytes; send less."


def test_a_body_that_declares_to_be_too_large_is_refused_before_it_arrives(live_url: str) -> None:
    head = f"POST {SESSION} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
    with connect(live_url, head.encode()) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413 ")


def test_a_route_without_a_body_does_not_wait_for_one(live_url: str) -> None:
    head = "GET /api/v1/metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
    with connect(live_url, head.encode()) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(("count", "listed"), [(MOST_FAULTS, MOST_FAULTS), (MOST_FAULTS + 1, 1)])
def test_at_most_a_hundred_faults_are_listed(client: TestClient, count: int, listed: int) -> None:
    # Each cell misses framework and scenario, one has an unknown key.
    body = cells(10_000, "{}")[: len('{"cells":[')] + ",".join(["{}"] * (count // 2))
    body += ',{"framework":"node","scenario":"hello","x":1}]}' if count % 2 else "]}"
    found = problem(client.post(RUNS, content=body, headers=JSON), 422, "invalid_request")

    assert len(found["problems"]) == listed
    if listed == 1:
        assert found["detail"] == (
            "body: has 101 faults, too many to list; send a part of it to see them."
        )


def test_faults_within_a_part_of_a_body_are_counted_too(client: TestClient) -> None:
    body = {"name": "Nightly", "cron": "0 3 * * *", "run": json.loads(cells(2_000, "{}"))}
    found = problem(client.post("/api/v1/schedules", json=body), 422, "invalid_request")

    assert [fault["field"] for fault in found["problems"]] == ["run"]


@pytest.mark.parametrize(
    "body",
    [
        unknown_keys(RUN_BYTES),
        cells(RUN_BYTES, "{}"),
        cells(RUN_BYTES, "[]"),
        cells(RUN_BYTES, '{"a":1,"b":1,"c":1,"d":1}'),
        "[" * RUN_BYTES,
        '{"trials":' + "1" * 200_000 + "}",
        '{"cells":[' + ",".join(["1" * 4_000] * 60) + "]}",
    ],
    ids=["keys", "objects", "lists", "keys-of-objects", "nesting", "long-number", "numbers"],
)
def test_the_worst_body_takes_little_time(client: TestClient, body: str) -> None:
    assert len(body) <= RUN_BYTES
    begin = time.thread_time()
    with pytest.raises((ValidationError, RecursionError, ValueError)) as raised:
        RunIn.model_validate(json.loads(body))
    seconds = time.thread_time() - begin

    if isinstance(raised.value, ValidationError):
        assert raised.value.error_count() <= MOST_FAULTS
    # On an idle machine 12 ms at most. Four times the body, and the list of its faults, took 500.
    assert seconds < 0.2
    problem(client.post(RUNS, content=body, headers=JSON), 422, "invalid_request")


def test_a_slow_body_is_refused_although_it_makes_progress(
    live_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.http.limits.BODY_SECONDS", 0.5)
    head = f"POST {SESSION} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n"
    with connect(live_url, head.encode()) as connection:
        connection.settimeout(0.05)
        answer = b""
        for _ in range(400):
            connection.sendall(b" ")
            try:
                answer = connection.recv(1 << 16)
            except TimeoutError:
                continue
            break

        assert answer.startswith(b"HTTP/1.1 408 ")
        connection.settimeout(20)
        assert read_all(connection).endswith(b"}") or answer.endswith(b"}")


def test_every_route_with_a_body_declares_its_limit(installation: Settings) -> None:
    operations = [
        operation
        for path in openapi_document()["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]

    for operation in operations:
        is_open = operation["x-permission"] == Permission.OPEN
        least = ANONYMOUS_BYTES if is_open else SIGNED_IN_BYTES
        assert operation[BODY_LIMIT] == least or (not is_open and operation[BODY_LIMIT] > least)
        assert {"413", "422"} <= operation["responses"].keys(), operation["operationId"]
    assert len(operations) > 30


def test_a_body_without_a_limit_of_faults_is_refused_at_the_start() -> None:
    class Unlimited(Schema):
        name: str

    async def create(body: Unlimited) -> None: ...

    router = APIRouter()
    router.post("/things", dependencies=[needs(Permission.RUN)])(create)
    assert isinstance(router.routes[0], APIRoute)
    assert issubclass(Unlimited, BaseModel)
    with pytest.raises(RuntimeError, match="must be a RequestBody"):
        declare_permissions(router)
