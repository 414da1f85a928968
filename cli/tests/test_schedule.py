"""`tacho schedule` against a real server."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner, Result

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.tests.factories import HOST, add_host
from cli import app

SELECTION = ("node", "go-nethttp", "--scenario", "hello", "--param", "rate_rps=500")
NIGHTLY = ("add", "Nightly", *SELECTION, "--cron", "0 2 * * *", "--time-zone", "Europe/Berlin")


@pytest.fixture
def tacho(live_url: str, database: Settings) -> Callable[..., Result]:
    """Run `tacho schedule` with these arguments against the live server, which has a host."""
    with unit_of_work() as session:
        add_host(session)
    return lambda *given: CliRunner().invoke(app, ["schedule", *given, "--url", live_url])


def known(url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx2.get(f"{url}/api/v1/schedules", trust_env=False).json()[
        "items"
    ]
    return found


def test_a_schedule_is_added_listed_paused_resumed_and_removed(
    tacho: Callable[..., Result], live_url: str
) -> None:
    assert tacho("list").stdout == "No schedules.\n"

    added = tacho(*NIGHTLY, "--trials", "3")
    assert added.exit_code == 0, added.output
    (made,) = known(live_url)
    assert added.stdout.startswith("Nightly: At 02:00 every day, Europe/Berlin; next 20")
    assert added.stdout.endswith(f" UTC: {live_url}/schedules/{made['id']}\n")
    cells = [(cell["framework"], cell["parameters"]["rate_rps"]) for cell in made["run"]["cells"]]
    assert (cells, made["run"]["trials"]) == ([("node", 500), ("go-nethttp", 500)], 3)

    listed = tacho("list").stdout
    assert all(told in listed for told in ("Nightly", "At 02:00 every day", HOST, made["id"]))

    assert tacho("pause", "Nightly").stdout == "Nightly is paused.\n"
    assert not known(live_url)[0]["enabled"]
    assert "paused" in tacho("list").stdout
    assert tacho("resume", made["id"]).stdout.startswith("Nightly is resumed; next 20")
    assert known(live_url)[0]["enabled"]

    assert tacho("remove", "Nightly").stdout == "Nightly is removed; its runs stay.\n"
    assert known(live_url) == []


def test_a_wrong_argument_is_named_and_exits_2(tacho: Callable[..., Result], live_url: str) -> None:
    often = tacho("add", "Often", *SELECTION, "--cron", "* * * * *")
    assert often.exit_code == 2
    assert "cron: comes more often than every 15 min" in often.stderr
    nobody = tacho("add", "Nobody", "nodejs", "--scenario", "hello", "--cron", "0 2 * * *")
    assert nobody.exit_code == 2
    assert "run.cells.0.framework: There is no framework 'nodejs'" in nobody.stderr
    assert tacho("add", "When?", *SELECTION).exit_code == 2
    assert known(live_url) == []

    assert tacho(*NIGHTLY).exit_code == tacho(*NIGHTLY).exit_code == 0
    for command in ("pause", "resume", "remove"):
        unknown = tacho(command, "Weekly")
        assert unknown.exit_code == 2
        assert "There is no schedule 'Weekly'; those known: Nightly, Nightly." in unknown.stderr
        twice = tacho(command, "Nightly")
        assert twice.exit_code == 2
        assert all(schedule["id"] in twice.stderr for schedule in known(live_url))
    assert [schedule["enabled"] for schedule in known(live_url)] == [True, True]
