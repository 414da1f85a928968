"""The OpenAPI document, with additions that FastAPI does not generate."""

from typing import Any

from fastapi import FastAPI

from backend.api.http.problems import Problem

TAGS: list[dict[str, Any]] = [
    {"name": "health", "description": "Whether all parts of this installation respond."},
    {"name": "session", "description": "Sign in and out in the browser."},
    {"name": "runs", "description": "Start measurements, follow, stop, repeat and export them."},
    {"name": "cells", "description": "One framework × scenario × load of a run, over its trials."},
    {"name": "trials", "description": "One fresh start of a service: stages, seconds, logs."},
    {"name": "history", "description": "All results of one framework × scenario over time."},
    {
        "name": "comparisons",
        "description": "Comparisons of any results, and snapshots of them.",
    },
    {"name": "changes", "description": "Level shifts of a series, tested by confirmation runs."},
    {"name": "slos", "description": "Limits that the results of a run must meet."},
    {"name": "leaderboard", "description": "Frameworks ranked by their latest valid results."},
    {"name": "frameworks", "description": "Frameworks that can be measured."},
    {"name": "scenarios", "description": "Scenarios to measure, and the bounds of their load."},
    {"name": "studies", "description": "Published studies, and their reproductions here."},
    {"name": "examples", "description": "Runs measured elsewhere, as examples."},
    {"name": "hosts", "description": "Machines that run measurements."},
    {"name": "metrics", "description": "Every number's title, unit and better direction."},
    {"name": "badges", "description": "A figure with its interval, for READMEs."},
    {"name": "schedules", "description": "Runs at set times, with a check that results arrive."},
    {
        "name": "webhooks",
        "description": "Signed messages about events, and the log of their deliveries.",
    },
    {
        "name": "verdicts",
        "description": "All warnings about a number, and which of them exclude it from ranking.",
    },
]
_REF = "#/components/schemas/{model}"
_EVENT: dict[str, Any] = {
    "type": "object",
    "description": "`run`: status and progress. `trial`: a stage was entered or left. `sample`: "
    "one second of load or resources. `log`: lines of a part. `gap`: so many events before this "
    "one were dropped. `end`: nothing follows.",
    "properties": {
        "event": {"enum": ["run", "trial", "sample", "log", "gap", "end"]},
        "id": {"type": "string", "description": "To resume after, as Last-Event-ID."},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
    "examples": [
        {"event": "run", "data": '{"status": "running", "progress": {"share": 0.1}}'},
        {"event": "end", "id": "1795201254567-0", "data": '{"status": "succeeded"}'},
    ],
}


class Api(FastAPI):
    """FastAPI whose document also holds the problem format, and says what needs no token."""

    def openapi(self) -> dict[str, Any]:
        """The document, made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            schema = Problem.model_json_schema(ref_template=_REF)
            document["components"]["schemas"] |= schema.pop("$defs") | {"Problem": schema}
            for path in document["paths"].values():
                for method, operation in path.items():
                    _complete(method, operation)
        return super().openapi()


def _complete(method: str, operation: dict[str, Any]) -> None:
    if method == "get" and "security" in operation:
        # An empty requirement: reading works without, and shows more with the token.
        operation["security"].append({})
    streamed = operation["responses"].get("200", {}).get("content", {})
    if "text/event-stream" in streamed:
        # FastAPI writes OpenAPI 3.2's itemSchema, where 3.1 has the schema describe each event.
        streamed["text/event-stream"] = {"schema": _EVENT}
