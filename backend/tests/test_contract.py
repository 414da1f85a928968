"""The REST contract: the document is valid and complete, and the app keeps to it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from schemathesis import GenerationMode
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.api.runs.schemas import RunIn, RunOut
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.queue import publish
from backend.export_openapi import TARGET
from backend.main import create_app, openapi_document
from backend.tests.factories import HOST, add_host, ask_run, succeed_next
from backend.tests.installation import sweep_up

DOCUMENT = openapi_document()
OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}
TOKEN = "s3cret-of-the-contract"
FUZZING = schemathesis.Config.from_dict(
    {
        "seed": 20261120,
        "auth": {"openapi": {"HTTPBearer": {"bearer": TOKEN}}},
        "generation": {"max-examples": 6, "deterministic": True, "database": "none"},
        "phases": {"stateful": {"enabled": False}},
        # No schema says which names are in the catalogue: backend/tests/api/runs/test_refusals.py.
        "checks": {"positive_data_acceptance": {"enabled": False}},
    }
)


def refs(node: Any) -> Iterator[str]:
    """Every reference of a document."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for child in node.values():
            yield from refs(child)
    elif isinstance(node, list):
        for child in node:
            yield from refs(child)


def test_the_document_is_valid_openapi() -> None:
    schemathesis.openapi.from_dict(DOCUMENT).validate()

    schemas = DOCUMENT["components"]["schemas"]
    assert {ref.removeprefix("#/components/schemas/") for ref in refs(DOCUMENT)} <= set(schemas)


def test_the_generated_client_is_of_this_document() -> None:
    """When this fails: python -m backend.export_openapi, then npm run generate in frontend/."""
    assert json.loads(TARGET.read_text()) == DOCUMENT


def test_every_tag_is_described() -> None:
    used = {tag for operation in OPERATIONS.values() for tag in operation["tags"]}
    assert used == {tag["name"] for tag in DOCUMENT["tags"]}
    assert all(tag["description"] for tag in DOCUMENT["tags"])


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_says_what_it_takes_and_answers(operation: dict[str, Any]) -> None:
    assert operation["description"]
    succeeded = {code: answer for code, answer in operation["responses"].items() if code < "300"}
    ((code, answer),) = succeeded.items()
    assert ("content" in answer) == (code != "204")
    for content in answer.get("content", {}).values():
        assert content["schema"]
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            schema = parameter["schema"]
            assert "examples" in schema or "$ref" in schema, parameter["name"]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operations_errors_are_problems_with_an_example(operation: dict[str, Any]) -> None:
    errors = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
    assert "503" in errors
    if operation.get("parameters") or "requestBody" in operation:
        assert "422" in errors
    if operation.get("security") == [{"HTTPBearer": []}]:
        assert "401" in errors
    if operation["operationId"] == "get_health":
        return
    for code, answer in errors.items():
        (content,) = answer["content"].items()
        assert content[0] == "application/problem+json"
        assert content[1]["schema"] == {"$ref": "#/components/schemas/Problem"}
        assert content[1]["example"]["status"] == int(code)


def test_the_main_examples_are_right() -> None:
    for model in (RunIn, RunOut):
        (example,) = DOCUMENT["components"]["schemas"][model.__name__]["examples"]
        model.model_validate(example)


class FromAfar:
    """The app as another machine reaches it: writing needs the token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["client"] = ("203.0.113.5", 1234)
        await self._app(scope, receive, send)


@pytest.fixture(scope="module")
def known(installation: Settings) -> Iterator[dict[str, str]]:
    """Path parameters that name something: a finished run and its parts, and what is ours."""
    with unit_of_work() as session:
        host_id: UUID = add_host(session).id
        run = ask_run(session)
        trial = succeed_next(session, host_id)
        run_id, trial_id, cell_id = run.id, trial.id, trial.cell_id
    publish(run_id, "end", {"status": "succeeded"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACHO_TOKEN", TOKEN)
        get_settings.cache_clear()
        names = {"run_id": run_id, "trial_id": trial_id, "cell_id": cell_id, "name": HOST}
        yield {name: str(value) for name, value in names.items()}
    get_settings.cache_clear()
    sweep_up()


CONTRACT = schemathesis.openapi.from_asgi(
    "/api/v1/openapi.json", FromAfar(create_app()), config=FUZZING
)


@CONTRACT.parametrize()
def test_the_app_keeps_to_its_contract(case: schemathesis.Case[Any], known: dict[str, str]) -> None:
    """No 5xx, no undocumented status, header, media type or shape, whatever is sent."""
    if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
        asked = case.path_parameters
        assert isinstance(asked, dict)
        asked.update({name: known[name] for name in known.keys() & asked.keys()})
    case.call_and_validate()
