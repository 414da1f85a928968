"""Addresses of pages and API resources, as paths on this installation."""

import json
from typing import Any
from uuid import UUID

from backend.core.config import get_settings

API_ROOT = "/api/v1"
# Where people enter the code of a sign-in of the command line.
DEVICE_PAGE = "/device"


def run_page(slug: str) -> str:
    """Return the permalink of a run."""
    return f"/r/{slug}"


def group_page(slug: str) -> str:
    """Return the permalink of a group of runs."""
    return f"/g/{slug}"


def snapshot_page(digest: str) -> str:
    """Return the permalink of a snapshot."""
    return f"/c/{digest}"


def guard_page(slug: str) -> str:
    """Return the permalink of a stored verdict about a change of an own service."""
    return f"/guards/{slug}"


def incident_page(incident_id: UUID | str) -> str:
    """Return the page of an incident."""
    return f"/incidents/{incident_id}"


def join_page(key: str) -> str:
    """Return the page of a one-time link. Browsers do not send the part after `#` to servers."""
    return f"/join#{key}"


def add_addresses(body: str) -> str:
    """Return the body of a webhook message with the addresses of the objects that it is about.

    The text for people gets a link, if the operator has set the address of the installation.
    """
    message: dict[str, Any] = json.loads(body)
    data, page = message["data"], ""
    if schedule := data.get("schedule"):
        schedule["page"] = page = f"/schedules/{schedule['id']}"
    if run := data.get("run"):
        run["permalink"] = page = run_page(run["slug"])
    if change := data.get("change"):
        change["api"] = f"{API_ROOT}/changes/{change['id']}"
    if incident := data.get("incident"):
        incident["api"] = f"{API_ROOT}/incidents/{incident['id']}"
        incident["page"] = page = incident_page(incident["id"])
    link = f" {get_settings().public_url}{page}"
    if page and get_settings().public_url and not message.get("text", link).endswith(link):
        message["text"] += link
    return json.dumps(message, separators=(",", ":"))
