"""With TACHO_LOG_FORMAT=json, every line that API and dispatcher write is a JSON object.

In both formats, a request cannot write lines or control characters of its own.
"""

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from backend.core.config import ROOT, Settings
from backend.platform.network import find_free_port
from backend.platform.processes.parts import api_command, dispatcher_command
from backend.tests.waiting import LIMIT_S

_START_SECONDS = 120.0
# Celery prints these lines when it is asked to stop.
_FAREWELL = {"", "worker: Warm shutdown (MainProcess)"}


@contextmanager
def started(command: Sequence[str], log: Path, url: str, **further: str) -> Iterator[None]:
    """Run a part, from when it listens at its address to the end of the context."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TACHO_LOG_FORMAT": "json",
        "TACHO_LOG_LEVEL": "INFO",
        **further,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=log.parent
        )
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not listens(url):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(LIMIT_S)


def listens(url: str) -> bool:
    address = urlsplit(url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except OSError:
        return False
    return True


def read_lines(log: Path) -> list[dict[str, Any]]:
    lines = [line for line in log.read_text().splitlines() if line not in _FAREWELL]
    assert lines
    return [json.loads(line) for line in lines]


@pytest.fixture
def json_settings(installation: Settings) -> Settings:
    changes = {"log_format": "json", "log_level": "INFO", "port": find_free_port()}
    return installation.model_copy(update=changes)


# A key of a body, which the problem document and the log quote.
FORGED = "a\n2026-11-28 03:00:00,000 INFO backend: forged\x1b[2J\r\u2028\u202egnp.exe\x7f"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]")


def forge(url: str) -> None:
    """Send a request whose error quotes FORGED."""
    answer = httpx.post(
        f"{url}/api/v1/device-logins",
        json={"client_name": "CI", "scope": "read", FORGED: 1},
        trust_env=False,
    )
    assert answer.status_code == 422


def test_every_line_of_the_api_is_json_with_the_id_of_its_request(
    json_settings: Settings, tmp_path: Path
) -> None:
    log, url = tmp_path / "api.log", f"http://127.0.0.1:{json_settings.port}"
    with started(api_command(json_settings), log, url):
        answer = httpx.get(f"{url}/api/v1/runs/missing", trust_env=False)
        forge(url)

    lines = read_lines(log)
    assert {line["part"] for line in lines} == {"api"}
    (own,) = [line for line in lines if line.get("run_id") == "missing"]
    assert own["request_id"] == answer.headers["x-request-id"]
    messages = [line["message"] for line in lines]
    assert any("Uvicorn running" in message for message in messages)
    assert any("forged" in message for message in messages)
    assert UNSAFE.findall(log.read_text() + "".join(messages)) == []
    assert not any("\n" in message for message in messages)


def test_a_request_cannot_forge_a_line_of_the_log(json_settings: Settings, tmp_path: Path) -> None:
    log, url = tmp_path / "api.log", f"http://127.0.0.1:{json_settings.port}"
    settings = json_settings.model_copy(update={"log_format": "text"})
    with started(api_command(settings), log, url, TACHO_LOG_FORMAT="text"):
        forge(url)

    text = log.read_text(encoding="utf-8")
    assert "forged" in text
    assert not [line for line in text.split("\n") if line.startswith("2026-11-28 03:00:00")]
    assert UNSAFE.findall(text) == []


def test_every_line_of_the_dispatcher_is_json(json_settings: Settings, tmp_path: Path) -> None:
    log, endpoint = tmp_path / "dispatcher.log", f"127.0.0.1:{find_free_port()}"
    with started(
        dispatcher_command(), log, f"http://{endpoint}", TACHO_DISPATCHER_METRICS=endpoint
    ):
        content = httpx.get(f"http://{endpoint}/metrics", trust_env=False).text

    lines = read_lines(log)
    assert {line["part"] for line in lines} == {"dispatcher"}
    assert any(endpoint in line["message"] for line in lines)
    assert "tacho_task_seconds" in content
