"""The dashboard for Grafana in the operator's guide."""

import json
from typing import Any

from backend.core.config import ROOT

DASHBOARD = ROOT / "docs/operator-guide/monitoring/tacho-dashboard.json"


def list_queries() -> list[str]:
    """Return all queries of the dashboard."""
    return _find_queries(json.loads(DASHBOARD.read_text(encoding="utf-8")))


def _find_queries(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["expr"]] if isinstance(node.get("expr"), str) else []
        return own + [query for value in node.values() for query in _find_queries(value)]
    if isinstance(node, list):
        return [query for value in node for query in _find_queries(value)]
    return []
