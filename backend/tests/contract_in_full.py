"""The app keeps its REST contract for every example, every boundary and many random requests.

pytest does not collect this file automatically, because its import generates the requests, which
takes seconds. `make test-acceptance` names it.
"""

from typing import Any

import pytest
import schemathesis

from backend.tests.contract import known, load_contract, send

__all__ = ["known"]


@pytest.mark.acceptance
@load_contract().parametrize()
def test_the_app_keeps_its_contract(case: schemathesis.Case[Any], known: dict[str, str]) -> None:
    """No 5xx, no undocumented status, header, media type or shape, whatever is sent."""
    send(case, known)
