"""Tacho has a sentence for every error of the validation library that requests can cause."""

import json
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError
from pydantic_core.core_schema import ErrorType

from backend.api.runs.schemas import RunIn
from backend.core.validation import SENTENCES, explain_fault
from backend.tests.request_bodies import list_bodies

# Errors that only Python code can cause, or that callers never see.
OF_PROGRAMS = {
    "no_such_attribute",
    "json_invalid",
    "needs_python_object",
    "frozen_field",
    "frozen_instance",
    "get_attribute_error",
    "default_factory_not_called",
    "missing_sentinel_error",
    "ellipsis_error",
    "value_error",
    "assertion_error",
    "is_instance_of",
    "is_subclass_of",
    "callable_type",
}
WORDS = ("Input should", "should have", "should match", "validation", "Field required", "parse")
_SCALARS = (
    None,
    True,
    0,
    -1,
    2.5,
    10**30,
    "",
    "text",
    "\x00",
    "x" * 100_000,
    "2026-13-01",
    "1 day",
)
VALUES = (
    *_SCALARS,
    [],
    {},
    *([value] for value in _SCALARS),
    *({"name": value} for value in _SCALARS),
)


def test_every_kind_of_error_has_a_sentence() -> None:
    kinds = {kind for kind in get_args(ErrorType) if "argument" not in kind}
    assert kinds - OF_PROGRAMS - set(SENTENCES) == set()


@pytest.mark.parametrize("model", list_bodies())
def test_no_message_of_the_library_is_shown(model: type[BaseModel]) -> None:
    names = [*model.model_fields, "unknown"]
    for fields in ({}, *({name: value} for name in names for value in VALUES)):
        for fault in faults_of(model, fields):
            sentence = explain_fault(fault)
            assert sentence.endswith((".", "…"))
            assert fault["type"] == "value_error" or sentence != fault["msg"]
            assert not any(word in sentence for word in WORDS)


def faults_of(model: type[BaseModel], fields: dict[str, Any]) -> list[Any]:
    try:
        model.model_validate_json(json.dumps(fields))
    except ValidationError as error:
        return list(error.errors())
    return []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"cells": []}, "must have at least 1 item; add one."),
        ({}, "is required; add it."),
        ({"cells": [{"framework": "a", "scenario": 1}]}, "must be text; put it in quotes."),
        ({"cells": 1}, "must be a list, such as [ … ]."),
    ],
)
def test_a_sentence_contains_the_fix(fields: dict[str, Any], sentence: str) -> None:
    assert sentence in [explain_fault(fault) for fault in faults_of(RunIn, fields)]
