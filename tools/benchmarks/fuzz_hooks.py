"""Hooks of Schemathesis for `make fuzz`: half of the valid bodies are examples of the document.

Random bodies name no framework, scenario or host that exists, so almost no sequence would create a
run.
"""

from copy import deepcopy
from typing import Any

import schemathesis
from hypothesis import strategies
from schemathesis import GenerationMode, HookContext


def flatmap_case(
    context: HookContext,  # noqa: ARG001  required by the signature
    case: schemathesis.Case[Any],
) -> strategies.SearchStrategy[schemathesis.Case[Any]]:
    """Return the case, with the body of an example in half of the valid cases."""
    examples = _list_examples(case)
    if not examples or case.meta is None or case.meta.generation.mode is GenerationMode.NEGATIVE:
        return strategies.just(case)
    return strategies.booleans().flatmap(
        lambda is_example: (
            strategies.sampled_from(examples).map(lambda body: _with_body(case, body))
            if is_example
            else strategies.just(case)
        )
    )


def _list_examples(case: schemathesis.Case[Any]) -> list[Any]:
    """Return the examples of the schema of a JSON body."""
    operation = case.operation.definition.raw
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schemas = case.operation.schema.raw_schema["components"]["schemas"]
    examples: list[Any] = schemas.get(name, {}).get("examples", [])
    return examples


def _with_body(case: schemathesis.Case[Any], body: Any) -> schemathesis.Case[Any]:
    case.body = deepcopy(body)
    # The API refuses a key that came earlier with another body.
    case.headers.pop("idempotency-key", None)
    return case


schemathesis.hook(flatmap_case)
