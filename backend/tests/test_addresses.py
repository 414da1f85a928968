"""Addresses are built in a single module, which core does not import."""

import ast
import json
import re

import pytest

from backend.addresses import add_addresses
from backend.core.config import ROOT, get_settings

# Its texts are about the requests of other services.
OWN_SERVICES = ROOT / "backend/core/catalog/own"
ADDRESS = re.compile(
    r"^/(api|r|c|runs|schedules|changes|incidents)/|\b(GET|POST|PATCH|DELETE) /|/api/v1"
)


@pytest.mark.parametrize(
    ("data", "name", "addresses"),
    [
        ({"run": {"slug": "k3v9q2mx4d"}}, "run", {"permalink": "/r/k3v9q2mx4d"}),
        ({"schedule": {"id": "7"}, "run": None}, "schedule", {"page": "/schedules/7"}),
        ({"change": {"id": "7"}}, "change", {"api": "/api/v1/changes/7"}),
        (
            {"incident": {"id": "7"}},
            "incident",
            {"api": "/api/v1/incidents/7", "page": "/incidents/7"},
        ),
    ],
)
def test_a_message_gets_the_addresses_of_each_object(
    data: dict[str, dict[str, str]], name: str, addresses: dict[str, str]
) -> None:
    body = add_addresses(json.dumps({"type": "an.event", "data": data}))

    assert json.loads(body)["data"] == data | {name: data[name] | addresses}
    assert add_addresses(body) == body


def test_a_message_without_such_objects_stays_the_same() -> None:
    body = '{"type":"webhook.test","data":{"message":"A test."}}'

    assert add_addresses(body) == body


def test_the_text_of_a_message_links_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    message = {"text": "Nightly: Node.js is best", "data": {"run": {"slug": "k3v9q2mx4d"}}}
    settings = get_settings().model_copy(update={"public_url": "https://tacho.example.org"})
    monkeypatch.setattr("backend.addresses.get_settings", lambda: settings)

    body = add_addresses(json.dumps(message))

    assert json.loads(body)["text"] == (
        "Nightly: Node.js is best https://tacho.example.org/r/k3v9q2mx4d"
    )
    assert add_addresses(body) == body


def test_core_contains_no_addresses() -> None:
    addresses = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in sorted((ROOT / "backend" / "core").rglob("*.py"))
        if OWN_SERVICES not in path.parents
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and ADDRESS.search(node.value)
    ]

    assert addresses == []
