"""Read responses of the API like a client in another language."""

from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response


def document(answer: Response, status: int = 200) -> dict[str, Any]:
    """Return the JSON of a response, and assert its status."""
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    """Return the problem document of a response (RFC 9457)."""
    found = document(answer, status)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (found["status"], found["code"]) == (status, code)
    assert found["title"]
    assert found["detail"]
    assert found["instance"].startswith("urn:uuid:")
    return found


def faults(answer: Response) -> dict[str, str]:
    """Return the details of all problems in a 422 response by field."""
    found = problem(answer, 422, "invalid_request")
    listed = {fault["field"]: fault["detail"] for fault in found["problems"]}
    first = found["problems"][0]
    assert found["detail"].startswith(f"{first['field']}: {first['detail']}")
    return listed


def compare_with_file(path: Path, text: str) -> None:
    """Compare a text with a file that people read. Delete the file to write it again."""
    if not path.exists():
        path.write_text(text)
        pytest.fail(f"{path} was written. Read it aloud, then run the test again.")
    assert text == path.read_text()
