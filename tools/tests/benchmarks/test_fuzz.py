"""`make fuzz` counts what its requests reached, and its settings are valid."""

import json
import tomllib
from pathlib import Path

import pytest

from backend.tests.openapi import openapi_document
from tools.benchmarks.fuzz import count, describe_settings

RUNS = "/api/v1/runs"


def scenario(phase: str, *steps: tuple[str, str, int]) -> str:
    """Return a line of Schemathesis's events, in which each step has a method, path and status."""
    cases = {
        str(number): {"value": {"method": method, "path": path}}
        for number, (method, path, _) in enumerate(steps)
    }
    interactions = {
        str(number): {"response": {"status_code": status}}
        for number, (_, _, status) in enumerate(steps)
    }
    recorder = {"label": phase, "cases": cases, "interactions": interactions}
    return json.dumps({"ScenarioFinished": {"phase": phase, "recorder": recorder}})


def test_responses_and_lifecycles_are_counted(tmp_path: Path) -> None:
    events = tmp_path / "events.ndjson"
    lines = [
        json.dumps({"EngineStarted": {}}),
        scenario("fuzzing", ("POST", RUNS, 202), ("DELETE", f"{RUNS}/{{run_id}}", 404)),
        json.dumps({"ScenarioFinished": {"phase": "stateful", "recorder": {"label": "empty"}}}),
        scenario(
            "stateful",
            ("POST", RUNS, 202),
            ("POST", f"{RUNS}/{{run_id}}/cancel", 200),
            ("DELETE", f"{RUNS}/{{run_id}}", 204),
        ),
        scenario("stateful", ("POST", RUNS, 422), ("DELETE", f"{RUNS}/{{run_id}}", 404)),
    ]
    events.write_text("\n".join(lines))

    tally = count(events)

    assert tally.statuses["fuzzing"] == {202: 1, 404: 1}
    assert tally.statuses["stateful"].total() == 5
    assert tally.lifecycles == {f"POST {RUNS}": 1}
    assert tally.sequence_steps == {
        f"POST {RUNS} → 202": 1,
        f"POST {RUNS}/{{run_id}}/cancel → 200": 1,
        f"DELETE {RUNS}/{{run_id}} → 204": 1,
    }


@pytest.mark.parametrize(("cases", "has_boundaries"), [(2_000, False), (20_000, True)])
def test_the_settings_name_existing_operations(cases: int, has_boundaries: bool) -> None:
    settings = tomllib.loads(describe_settings(cases))
    known = {
        operation["operationId"]
        for methods in openapi_document()["paths"].values()
        for operation in methods.values()
    }

    chosen = [entry.get("include-operation-id", []) for entry in settings["operations"]]
    names = {name for entry in chosen for name in ([entry] if isinstance(entry, str) else entry)}

    assert names
    assert names <= known
    assert settings["phases"]["coverage"]["enabled"] is has_boundaries
