"""Control characters, including NUL, are refused in text and never cause a server error."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.api.results.sharing.drawing import draw_text
from backend.api.results.sharing.preview import to_png
from backend.tests.answers import faults
from backend.tests.asking import RUNS, body

BAD = ["a\x00b", "a\nb", "\x1b[31mred", "\x85", "a\x7f"]
API = "/api/v1"


@pytest.mark.parametrize(
    ("path", "field", "fields"),
    [
        (RUNS, "title", body()),
        (RUNS, "host", body()),
        (f"{API}/slos", "framework", {}),
        (f"{API}/schedules", "name", {}),
        (f"{API}/webhooks", "description", {}),
    ],
)
def test_a_text_takes_none(
    client: TestClient, host_id: UUID, path: str, field: str, fields: dict[str, Any]
) -> None:
    for text in BAD:
        found = faults(client.post(path, json=fields | {field: text}))
        assert "must not have line breaks or other control characters" in found[field]


def test_a_path_or_query_with_a_control_character_is_refused(client: TestClient) -> None:
    for path in ("/r/a%00b", "/runs/a%00b", "/r/a%0a", f"{RUNS}/a%00b", "/a%00b"):
        assert list(faults(client.get(path))) == ["path"]
    assert list(faults(client.get(f"{RUNS}?limit=1&framework=a%00b"))) == ["framework"]


def test_a_stored_title_with_control_characters_can_be_drawn() -> None:
    text = draw_text("a\x00b\x1b", 0, 10, 10, "#000")
    assert to_png(f'<svg xmlns="http://www.w3.org/2000/svg" width="50" height="20">{text}</svg>')
