"""Conformance runs: evidence on stdout, the verdict in the exit code."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from backend.tests.waiting import LIMIT_S
from worker.loadgen.command import load_environment, ready_command, verify_command
from worker.loadgen.parse import (
    ConformanceLine,
    PollingLine,
    ReadyLine,
    parse_line,
)

_LIBRARY = Path(__file__).resolve().parents[3] / "services/scenarios/lib"
_VERIFY = """
import {{ conformance, expect, get, getTogether }} from './lib/conformance.js';
export {{ options }} from './lib/conformance.js';
export default conformance(() => {{ {body} }});
"""


def verify(k6: Path, folder: Path, service_url: str, body: str) -> tuple[int, list[object]]:
    shutil.copytree(_LIBRARY, folder / "lib")
    script = folder / "verify.js"
    script.write_text(_VERIFY.format(body=body))
    done = subprocess.run(
        verify_command(str(k6), str(script)),
        env=os.environ
        | load_environment(1, 1 << 30)
        | {"TACHO_TARGET": service_url, "TACHO_PARAMETERS": '{"kind": "rate"}'},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.returncode, [parse_line(line) for line in done.stdout.splitlines()]


def test_an_honest_service_passes(k6: Path, tmp_path: Path, service_url: str) -> None:
    body = """
      expect('GET / answers 200', { expected: 200, got: get('/').status });
      const bodies = getTogether(['/a', '/b']).map((response) => response.body);
      expect('both answer', { expected: 'right,right', got: bodies.join() });
    """
    code, lines = verify(k6, tmp_path, service_url, body)

    assert code == 0
    assert lines == [
        ConformanceLine(name="GET / answers 200", passed=True, expected="200", got="200"),
        ConformanceLine(name="both answer", passed=True, expected="right,right", got="right,right"),
    ]


@pytest.mark.parametrize(
    ("body", "name", "expected", "got"),
    [
        (
            "expect('status', { expected: 200, got: get('/unavailable').status });"
            "expect('body', { expected: 'right', got: get('/').body });",
            "status",
            "200",
            "503",
        ),
        (
            "get('/'); throw new Error('no such thing');",
            "verify.js runs to its end",
            "no error",
            "Error: no such thing",
        ),
        ("", "verify.js checks something", "at least 1 check", "none"),
    ],
    ids=["wrong", "broken", "empty"],
)
def test_a_failed_check_is_shown_and_fails_the_run(
    k6: Path, tmp_path: Path, service_url: str, body: str, name: str, expected: str, got: str
) -> None:
    code, lines = verify(k6, tmp_path, service_url, body)

    assert code == 110
    (failed,) = [line for line in lines if isinstance(line, ConformanceLine) and not line.passed]
    assert (failed.name, failed.expected, failed.got) == (name, expected, got)
    assert failed.answered == (got != "503")


def test_ready_times_the_first_response(k6: Path, service_url: str) -> None:
    command = ready_command(str(k6), f"{service_url}/health", f"{service_url}/", timeout_s=120)
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    polling, line = map(parse_line, done.stdout.splitlines())
    assert isinstance(polling, PollingLine)
    assert isinstance(line, ReadyLine)
    assert line.first_status == 200
    assert line.first_response_ms is not None
    assert line.first_response_ms > 0
