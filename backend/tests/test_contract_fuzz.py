"""The app keeps its REST contract in a small sample of requests to each operation.

`backend/tests/contract_in_full.py` sends many more.
"""

from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.schemas import BaseSchema

from backend.core.config import Settings
from backend.main import openapi_document
from backend.tests.contract import known, load_contract, send

__all__ = ["known"]

OPERATIONS = [
    f"{method.upper()} {path}"
    for path, methods in openapi_document()["paths"].items()
    for method in methods
]
# No database of examples and no seed from the clock: each run sends the same requests.
SAMPLE = settings(
    max_examples=4,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[check for check in HealthCheck if check != HealthCheck.filter_too_much],
)


@pytest.fixture(scope="module")
def contract(installation: Settings) -> BaseSchema:
    return load_contract()


@pytest.mark.parametrize("label", OPERATIONS)
def test_the_app_keeps_its_contract(
    contract: BaseSchema, known: dict[str, str], label: str
) -> None:
    """No 5xx, no undocumented status, header, media type or shape in a sample of requests."""
    operation = contract.find_operation_by_label(label)
    assert operation is not None

    def send_sample(mode: GenerationMode) -> None:
        @SAMPLE
        @given(operation.as_strategy(generation_mode=mode))
        def sample(case: schemathesis.Case[Any]) -> None:
            send(case, known)

        sample()

    send_sample(GenerationMode.POSITIVE)
    # Operations without parameters and GET by a slug have only valid requests.
    with suppress(Unsatisfiable, FailedHealthCheck):
        send_sample(GenerationMode.NEGATIVE)
