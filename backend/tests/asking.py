"""Bodies of POST /runs."""

from typing import Any

RUNS = "/api/v1/runs"
CELL: dict[str, Any] = {"framework": "node", "scenario": "hello"}


def body(*cells: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a request for these cells, by default for node × hello."""
    return {"cells": list(cells) or [CELL], **fields}
