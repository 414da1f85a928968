"""Errors have a status, and their response and log lines have the id of the request."""

import importlib
import logging
import pkgutil
from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

import backend.core
import backend.platform
from backend import main
from backend.api.http.problems import STATUSES, find_status
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import TachoError
from backend.core.log_context import AddLogFields
from backend.core.models import Run
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS, body

HEADER = "X-Request-ID"


@pytest.fixture
def fields(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """The log, with the fields of each record."""
    added = AddLogFields()
    caplog.handler.addFilter(added)
    with caplog.at_level(logging.INFO):
        yield caplog
    caplog.handler.removeFilter(added)


def test_a_problem_and_its_log_line_have_the_id_of_the_response(
    client: TestClient, fields: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/api/v1/runs/missing")
    assert client.get("/api/v1/runs/missing").headers[HEADER] != answer.headers[HEADER]

    found = problem(answer, 404, "not_found")
    request_id = answer.headers[HEADER]
    assert found["instance"] == f"urn:uuid:{request_id}"
    (line,) = [record.__dict__ for record in fields.records if request_id in record.getMessage()]
    assert (line["request_id"], line["run_id"]) == (request_id, "missing")


def test_a_run_keeps_the_id_of_its_request(client: TestClient, host_id: UUID) -> None:
    answer = client.post(RUNS, json=body())

    with unit_of_work() as session:
        run = session.get_one(Run, UUID(document(answer, 202)["id"]))
    assert run.request_id == answer.headers[HEADER]


def _fail() -> None:
    raise RuntimeError("unforeseen")


def test_an_unexpected_error_has_the_id_too(
    installation: Settings, fields: pytest.LogCaptureFixture
) -> None:
    app = main.create_app()
    app.get("/api/by-accident")(_fail)
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/api/by-accident")

    found = problem(answer, 500, "internal_error")
    assert found["instance"] == f"urn:uuid:{answer.headers[HEADER]}"
    traced = [record for record in fields.records if record.exc_info]
    assert answer.headers[HEADER] in {record.__dict__.get("request_id") for record in traced}


def walk_subclasses(base: type[TachoError]) -> Iterator[type[TachoError]]:
    for subclass in base.__subclasses__():
        yield subclass
        yield from walk_subclasses(subclass)


def test_every_error_of_core_and_platform_has_a_status() -> None:
    for package in (backend.core, backend.platform):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    reachable = [
        error
        for error in walk_subclasses(TachoError)
        if error.__module__.startswith(("backend.core.", "backend.platform."))
    ]
    assert len(reachable) > len(STATUSES)
    assert [error.__name__ for error in reachable if find_status(error) is None] == []
