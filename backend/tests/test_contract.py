"""The REST contract: the document is valid and complete."""

import json
from collections.abc import Iterator
from typing import Any

import schemathesis
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from backend import main
from backend.api.runs.schemas import RunIn, RunOut
from backend.core.catalog.own.service_file import make_schema
from backend.export_openapi import CHARTS, OPENAPI, SERVICE_FILE_SCHEMA, list_chart_rows
from backend.tests.openapi import openapi_document
from backend.tests.request_bodies import list_bodies

DOCUMENT = openapi_document()
OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}


def refs(node: Any) -> Iterator[str]:
    """Yield every reference of a document."""
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


def test_the_generated_client_matches_the_document() -> None:
    """If this fails, run: make openapi"""
    assert json.loads(OPENAPI.read_text()) == main.openapi_document()
    assert json.loads(CHARTS.read_text()) == list_chart_rows()
    assert json.loads(SERVICE_FILE_SCHEMA.read_text()) == make_schema()


def test_every_tag_is_described() -> None:
    used = {tag for operation in OPERATIONS.values() for tag in operation["tags"]}
    assert used == {tag["name"] for tag in DOCUMENT["tags"]}
    assert all(tag["description"] for tag in DOCUMENT["tags"])


def test_every_operation_documents_its_parameters_and_responses() -> None:
    for name, operation in OPERATIONS.items():
        assert operation["description"], name
        succeeded = {
            code: answer for code, answer in operation["responses"].items() if code < "300"
        }
        if name == "finish_single_sign_on":
            # It leads to a page in any case.
            assert succeeded == {}
            succeeded = {"303": operation["responses"]["303"]}
        assert len(succeeded) == 1, name
        ((code, answer),) = succeeded.items()
        assert ("content" in answer) == (code not in {"204", "303"}), name
        for content in answer.get("content", {}).values():
            assert content["schema"], name
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "path":
                schema = parameter["schema"]
                assert "examples" in schema or "$ref" in schema, (name, parameter["name"])


def test_error_responses_are_problems_with_an_example() -> None:
    for name, operation in OPERATIONS.items():
        errors = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
        assert "503" in errors, name
        if operation.get("parameters") or "requestBody" in operation:
            assert "422" in errors, name
        if operation.get("security") == [{"HTTPBearer": []}]:
            assert "401" in errors, name
        if name == "get_health":
            continue
        for code, answer in errors.items():
            (content,) = answer["content"].items()
            assert content[0] == "application/problem+json", name
            assert content[1]["schema"] == {"$ref": "#/components/schemas/Problem"}, name
            assert content[1]["example"]["status"] == int(code), name


def test_the_main_examples_are_valid() -> None:
    for model in (RunIn, RunOut):
        examples = DOCUMENT["components"]["schemas"][model.__name__]["examples"]
        assert examples
        for example in examples:
            model.model_validate(example)


def list_body_fields() -> dict[str, FieldInfo]:
    """Return the fields of all request bodies, by model and name."""
    return {
        f"{model.__name__}.{name}": field
        for model in list_bodies()
        for name, field in model.model_fields.items()
    }


# Values that pydantic would convert to the type, although the document does not allow them.
CONVERTED = {"boolean": (0, "yes"), "integer": (True, "20"), "number": (True, "20")}


def test_request_bodies_convert_no_types() -> None:
    converting = [name for name, field in list_body_fields().items() if list_converted(field)]

    assert converting == []


def list_converted(field: FieldInfo) -> list[object]:
    """Return the values that a field accepts although the document does not allow them."""
    adapter: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
    schema = adapter.json_schema()
    kinds = {kind.get("type") for kind in [schema, *schema.get("anyOf", [])]}
    values = [value for kind in kinds & CONVERTED.keys() for value in CONVERTED[kind]]
    return [value for value in values if accepts(adapter, value)]


def accepts(adapter: TypeAdapter[Any], value: object) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True
