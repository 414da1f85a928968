"""Write what the frontend derives from the backend: python -m backend.export_openapi

The OpenAPI document is for the generated client. The table of charts holds the values of a second
that are drawn over time. The schema of `tacho.toml` is served to editors.
"""

import json

from backend.core.catalog.own.service_file import make_schema
from backend.core.config import ROOT
from backend.core.second import list_charts
from backend.main import openapi_document

OPENAPI = ROOT / "frontend" / "openapi.json"
SERVICE_FILE_SCHEMA = ROOT / "frontend" / "public" / "tacho.schema.json"
CHARTS = ROOT / "frontend" / "src" / "api" / "second-charts.json"


def list_chart_rows() -> list[dict[str, str]]:
    """Return the charts, each with the field that it draws."""
    return [{"field": field, **vars(chart)} for field, chart in list_charts().items()]


if __name__ == "__main__":
    for target, document in (
        (OPENAPI, openapi_document()),
        (CHARTS, list_chart_rows()),
        (SERVICE_FILE_SCHEMA, make_schema()),
    ):
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
