"""The app keeps to its REST contract: every example, boundary and many random requests.

pytest does not collect this file by itself, as the requests are made while it is imported, which
takes seconds. `make test-acceptance` names it.
"""

from typing import Any

import pytest
import schemathesis

from backend.tests.contract import known, load_contract, send

__all__ = ["known"]


@pytest.mark.acceptance
@load_contract().parametrize()
def test_the_app_keeps_to_its_contract(case: schemathesis.Case[Any], known: dict[str, str]) -> None:
    """No 5xx, no undocumented status, header, media type or shape, whatever is sent."""
    send(case, known)
