"""The OpenAPI document, with additions that FastAPI does not generate."""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from starlette.types import ASGIApp

from backend.api.http.edge import Edge
from backend.api.http.problems import Problem, problems
from backend.api.http.response_headers import RequestIds, ServerTiming
from backend.core.people.access.permissions import Permission

TAGS: list[dict[str, Any]] = [
    {"name": "health", "description": "Whether all parts of this installation respond."},
    {"name": "session", "description": "Sign in and out in the browser."},
    {"name": "account", "description": "The own name, password and sessions."},
    {"name": "links", "description": "One-time links that create accounts or reset passwords."},
    {"name": "users", "description": "The users of the installation, for operators."},
    {"name": "workspaces", "description": "The workspaces of the installation, for operators."},
    {"name": "members", "description": "The members of a workspace, and their roles."},
    {"name": "invitations", "description": "Links with which people join a workspace."},
    {"name": "tokens", "description": "Access tokens for scripts."},
    {"name": "device-logins", "description": "Sign in on the command line (`tacho login`)."},
    {"name": "limits", "description": "The limits of the caller and of the workspace."},
    {"name": "retention", "description": "How long seconds and logs are kept."},
    {"name": "audit", "description": "The log of all changes, with actor, time and address."},
    {"name": "home", "description": "The state of the installation at a glance."},
    {"name": "runs", "description": "Start measurements, follow, stop, repeat and export them."},
    {
        "name": "cells",
        "description": "A cell is one framework × scenario × load of a run, with all its trials.",
    },
    {
        "name": "trials",
        "description": "A trial measures a service that was just started: stages, seconds, logs.",
    },
    {"name": "history", "description": "All results of one framework × scenario over time."},
    {
        "name": "comparisons",
        "description": "Comparisons of any results, and snapshots of them.",
    },
    {"name": "changes", "description": "Level shifts of a series, tested by confirmation runs."},
    {"name": "slos", "description": "Limits that the results of a run must meet."},
    {
        "name": "guards",
        "description": "Verdicts about changes of own services: from `tacho guard --publish`, or "
        "measured on a bench host for `tacho guard --on`. Only members of the workspace see them.",
    },
    {"name": "leaderboard", "description": "Frameworks ranked by their latest valid results."},
    {"name": "choice", "description": "One recommendation among frameworks, with its reasons."},
    {"name": "frameworks", "description": "Frameworks that can be measured."},
    {"name": "scenarios", "description": "Scenarios to measure, and the bounds of their load."},
    {"name": "studies", "description": "Published studies, and their reproductions here."},
    {"name": "examples", "description": "Runs measured elsewhere, as examples."},
    {"name": "hosts", "description": "Machines that run measurements."},
    {"name": "presets", "description": "Suggested runs for common questions and studies."},
    {"name": "metrics", "description": "Title, unit and better direction of each metric."},
    {
        "name": "badges",
        "description": "Images for READMEs that show a result with its confidence interval.",
    },
    {
        "name": "schedules",
        "description": "Runs at set times, and a check that their results arrive.",
    },
    {
        "name": "webhooks",
        "description": "Signed messages about events, and the log of their deliveries.",
    },
    {
        "name": "verdicts",
        "description": "The warnings about a result, and which of them exclude it from ranking.",
    },
]
_REF = "#/components/schemas/{model}"


class Api(FastAPI):
    """FastAPI whose document also has the problem format, and shows what needs no token.

    Args:
        further_schemas: models that no route names, for the components of the document.
    """

    def __init__(self, further_schemas: Sequence[type[BaseModel]], **settings: Any) -> None:
        super().__init__(**settings)
        self._further_schemas: Sequence[type[BaseModel]] = (Problem, *further_schemas)

    def build_middleware_stack(self) -> ASGIApp:
        """Return the app with the middlewares of all responses, those to unforeseen errors too."""
        return ServerTiming(RequestIds(Edge(super().build_middleware_stack(), self.routes)))

    def openapi(self) -> dict[str, Any]:
        """Return the document, which is created once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for model in self._further_schemas:
                schema = model.model_json_schema(ref_template=_REF)
                parts = schema.pop("$defs") | {model.__name__: schema}
                # FastAPI's description of a part wins: it has no `default: null`.
                for name, part in parts.items():
                    document["components"]["schemas"].setdefault(name, part)
            for path in document["paths"].values():
                for operation in path.values():
                    _complete(operation)
        return super().openapi()


def describe_stream(events: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that streams events.

    Args:
        events: a model with a field for each kind of event: its name, and the model of its data.
    """
    kinds = [_describe_event(name, field) for name, field in events.model_fields.items()]
    content = {"text/event-stream": {"schema": {"oneOf": kinds}}}
    return {200: {"description": "The events, until the stream ends", "content": content}}


def _describe_event(name: str, field: FieldInfo) -> dict[str, Any]:
    model = field.annotation
    assert isinstance(model, type)
    return {
        "type": "object",
        "title": name,
        "properties": {
            "event": {"const": name},
            "id": {"type": "string", "description": "The id to send as Last-Event-ID."},
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": {"$ref": _REF.format(model=model.__name__)},
            },
        },
        "required": ["event", "data"],
    }


def _complete(operation: dict[str, Any]) -> None:
    is_open = operation["x-permission"] == Permission.OPEN
    # Each route refuses unknown parameters.
    statuses = [422] if is_open else [401, 403, 422]
    refusals = {str(code): answer for code, answer in problems(*statuses).items()}
    operation["responses"] = dict(sorted((refusals | operation["responses"]).items()))
    if is_open and "security" in operation:
        # An empty requirement: it works without signing in, and shows more afterwards.
        operation["security"].append({})
    content = operation["responses"].get("200", {}).get("content", {})
    if "text/event-stream" in content:
        # FastAPI adds the itemSchema of OpenAPI 3.2, and describes the whole stream as a string.
        # In OpenAPI 3.1, the schema describes each event.
        content["text/event-stream"].pop("itemSchema", None)
        content["text/event-stream"]["schema"].pop("type", None)
