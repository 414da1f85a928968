"""`tacho run` against a real server: its requests, its output and its exit codes."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from typing import cast
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import select
from typer.testing import CliRunner, Result

from backend.core.db import unit_of_work
from backend.core.models import Run, Slo
from backend.core.runs import service
from backend.core.units import Metric
from backend.tests.asking import RUNS
from backend.tests.factories import add_host, fail_next, first_workspace, succeed_next
from backend.tests.rows import count_rows
from backend.tests.waiting import LIMIT_S
from cli import app

HELLO = ("--scenario", "hello")
HOSTS = ("bench-01", "bench-02")


@pytest.fixture
def tacho(live_url: str, host_id: UUID) -> Callable[..., Result]:
    """Run `tacho run` with these arguments against the live server."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["run", *arguments, "--url", live_url])

    return run


@pytest.fixture
def bench(host_id: UUID) -> Iterator[Callable[[Callable[[], None]], Future[None]]]:
    """Call a function as soon as a run is queued for the bench host."""

    def when_queued(action: Callable[[], None]) -> None:
        deadline = monotonic() + LIMIT_S
        while not count_rows()[0]:
            assert monotonic() < deadline, "no run was queued"
            sleep(0.02)
        action()

    with ThreadPoolExecutor(1) as pool:
        yield lambda action: pool.submit(when_queued, action)


def runs(url: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = httpx2.get(f"{url}{RUNS}", trust_env=False).json()["items"]
    return found


def test_a_run_is_queued_and_its_address_printed(
    tacho: Callable[..., Result], live_url: str
) -> None:
    ended = tacho("node", "go-nethttp", *HELLO, "--trials", "3", "--title", "From a shell")

    assert ended.exit_code == 0, ended.output
    (run,) = runs(live_url)
    assert ended.stdout == f"From a shell: {live_url}/r/{run['slug']}\n"
    assert count_rows() == (1, 2, 6)


def test_a_run_on_several_hosts_prints_the_address_of_the_group(
    tacho: Callable[..., Result], live_url: str
) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-02")

    each = tacho("node", *HELLO, "--hosts", "each", "--title", "Everywhere")
    named = tacho("node", *HELLO, "--hosts", "bench-02, bench-01")
    both = tacho("node", *HELLO, "--hosts", "each", "--host", "bench-02")

    queued = runs(live_url)
    groups = {str(cast("dict[str, str]", run["group"])["permalink"]) for run in queued}
    assert [run["host"] for run in reversed(queued)] == [*HOSTS, *reversed(HOSTS)]
    assert each.stdout.startswith(f"Everywhere: {live_url}/g/")
    assert {output.stdout.strip().partition(": ")[2] for output in (each, named)} == {
        f"{live_url}{permalink}" for permalink in groups
    }
    assert (both.exit_code, count_rows()[0]) == (2, 4)


def test_waiting_for_a_group_prints_each_result(
    tacho: Callable[..., Result], bench: Callable[[Callable[[], None]], Future[None]]
) -> None:
    with unit_of_work() as session:
        other = add_host(session, "bench-02").id
        first = add_host(session, "bench-01").id

    def measure() -> None:
        with unit_of_work() as session:
            succeed_next(session, first)
            fail_next(session, other)

    done = bench(measure)
    ended = tacho("node", *HELLO, "--hosts", "each", "--trials", "1", "--wait")
    done.result()

    assert ended.exit_code == 1, ended.output
    assert "On bench-01: " in ended.stdout
    assert "On bench-02: " in ended.stdout


def test_each_framework_is_measured_with_each_scenario(
    tacho: Callable[..., Result], live_url: str
) -> None:
    both = ("--scenario", "hello", "--scenario", "slow-upstream")
    load = ("--profile", "users-quick", "--param", "users=7", "--param", "pause_ms=0")

    ended = tacho("node", "fastapi", *both, *load)

    assert ended.exit_code == 0, ended.output
    (run,) = runs(live_url)
    whole = httpx2.get(f"{live_url}{RUNS}/{run['slug']}", trust_env=False).json()
    told = [(cell["framework"]["slug"], cell["scenario"]["slug"]) for cell in whole["cells"]]
    assert told == [
        ("node", "hello"),
        ("fastapi", "hello"),
        ("node", "slow-upstream"),
        ("fastapi", "slow-upstream"),
    ]
    for cell in whole["cells"]:
        assert cell["profile"] == "users-quick"
        assert (cell["parameters"]["users"], cell["parameters"]["pause_ms"]) == (7, 0)


def test_a_refusal_lists_every_problem_and_exits_2(tacho: Callable[..., Result]) -> None:
    ended = tacho("nodejs", "node", *HELLO, "--param", "rate_rps=0", "--host", "bench-99")

    assert ended.exit_code == 2
    for told in (
        "host: There is no host 'bench-99'",
        "cells.0.framework: There is no framework 'nodejs'",
        "cells.0.parameters.rate_rps: is 0; give 1 to 100000 req/s.",
        "cells.1.parameters.rate_rps: is 0; give 1 to 100000 req/s.",
    ):
        assert told in ended.stderr
    assert ended.stdout == ""
    assert count_rows() == (0, 0, 0)


@pytest.mark.parametrize("given", ["rate_rps", "rate_rps=5.5"])
def test_a_parameter_is_a_name_and_a_number(tacho: Callable[..., Result], given: str) -> None:
    ended = tacho("node", *HELLO, "--param", given)

    assert ended.exit_code == 2
    assert f"--param {given}: write it as NAME=NUMBER" in ended.stderr
    assert count_rows() == (0, 0, 0)


@pytest.mark.parametrize(
    ("given", "until"),
    [
        ("ranked", "ranked"),
        ("latency_p99_ms:5%", {"metric": "latency_p99_ms", "precision_percent": 5.0}),
        ("cpu_us_per_request:2.5", {"metric": "cpu_us_per_request", "precision_percent": 2.5}),
    ],
)
def test_a_goal_instead_of_a_number_of_trials(
    tacho: Callable[..., Result], live_url: str, given: str, until: object
) -> None:
    limits = ("--max-trials", "10", "--max-minutes", "9")

    ended = tacho("node", "go-nethttp", *HELLO, "--until", given, *limits)

    assert ended.exit_code == 0, ended.output
    goal = cast("dict[str, object]", runs(live_url)[0]["goal"])
    assert (goal["until"], goal["max_trials"], goal["max_minutes"]) == (until, 10, 9)
    assert count_rows() == (1, 2, 6)


@pytest.mark.parametrize("given", ["certain", "latency_p99_ms:five"])
def test_a_malformed_goal_exits_2(tacho: Callable[..., Result], given: str) -> None:
    ended = tacho("node", "go-nethttp", *HELLO, "--until", given)

    assert ended.exit_code == 2
    assert f"--until {given}: write ranked, or METRIC:PERCENT%" in ended.stderr


def test_without_a_server_the_error_contains_the_fix() -> None:
    ended = CliRunner().invoke(app, ["run", "node", *HELLO, "--url", "http://127.0.0.1:1"])

    assert ended.exit_code == 1
    assert "No Tacho answers at http://127.0.0.1:1" in ended.stderr
    assert "Start it with make up, or give --url." in ended.stderr


def test_waiting_for_success_shows_the_result_and_exits_0(
    tacho: Callable[..., Result], bench: Callable[..., Future[None]], host_id: UUID
) -> None:
    def measure() -> None:
        for latency in (1.0, 2.0):
            with unit_of_work() as session:
                succeed_next(session, host_id, [latency] * 200)

    done = bench(measure)
    ended = tacho("node", *HELLO, "--trials", "2", "--wait")

    done.result()
    assert ended.exit_code == 0, ended.output
    row = next(line for line in ended.stdout.splitlines() if "Node.js" in line and "│" in line)
    assert "200, 200 req/s" in row
    assert "too_few_trials" in row
    assert "Latency p99" in ended.stdout
    assert "No usable result." in ended.stdout
    assert "Not usable. Node.js has only 2 trials; at least 3 are needed." in ended.stdout
    assert "Run again with 5 trials." in ended.stdout


def succeed(host_id: UUID) -> None:
    with unit_of_work() as session:
        succeed_next(session, host_id, [2.0] * 5)


def miss_a_limit(host_id: UUID) -> None:
    with unit_of_work() as session:
        limit = {"metric": Metric.LATENCY_P50_MS, "limit": 0.5}
        session.add(Slo(workspace_id=first_workspace(session), scenario="hello", **limit))
    succeed(host_id)


def fail(host_id: UUID) -> None:
    with unit_of_work() as session:
        fail_next(session, host_id)


def cancel(_: UUID) -> None:
    with unit_of_work() as session:
        service.cancel_run(session, session.scalars(select(Run)).one())


# Square brackets in a title are not markup.
@pytest.mark.parametrize(
    ("action", "option", "code", "words"),
    [
        (fail, "--title=[/b] or [red]?", 1, "failed trial 1 while building: npm [/ci] said no"),
        (cancel, "--title=[/b] or [red]?", 3, "[/b] or [red]?: http"),
        (miss_a_limit, "--wait", 4, "beyond Node.js on Hello: latency_p50_ms 2.00 ≤ 0.500 ms"),
        (succeed, "--require-usable", 5, "No usable result."),
    ],
)
def test_the_exit_code_shows_how_a_run_ended(
    tacho: Callable[..., Result],
    bench: Callable[..., Future[None]],
    host_id: UUID,
    action: Callable[[UUID], None],
    option: str,
    code: int,
    words: str,
) -> None:
    done = bench(lambda: action(host_id))
    ended = tacho("node", *HELLO, "--trials", "1", "--wait", option)

    done.result()
    assert ended.exit_code == code, ended.output
    assert words in ended.stdout


def test_the_token_is_sent_to_another_machine(
    tacho: Callable[..., Result], token: str, live_url: str
) -> None:
    """A wrong token would be refused, so the command sent the right one."""
    assert tacho("node", *HELLO).exit_code == 0
    refused = httpx2.post(
        f"{live_url}{RUNS}", headers={"Authorization": "Bearer wrong"}, trust_env=False
    )
    assert refused.status_code == 401


def test_a_preset_is_started_and_its_number_of_trials_can_be_changed(
    tacho: Callable[..., Result], live_url: str
) -> None:
    ended = tacho("--preset", "least-cpu", "--trials", "1", "--title", "At 1,000 req/s")

    assert ended.exit_code == 0, ended.output
    (run,) = runs(live_url)
    assert (run["title"], run["trials_per_cell"]) == ("At 1,000 req/s", 1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--preset", "first-glance"), "There is no preset 'first-glance'"),
        (("node", "--preset", "first-look"), "remove the frameworks"),
        (("node", *HELLO, "--trials", "0"), "Invalid value for '--trials'"),
        (HELLO, "Name at least one framework, or give --preset."),
        (("node",), "Give --scenario, or --preset"),
        (("node", *HELLO, "--pin", "node"), "write it as FRAMEWORK=DIGEST"),
        (("node", *HELLO, "--pin", "node=00000000"), "this host has other files of it"),
    ],
)
def test_a_contradictory_selection_is_refused(
    tacho: Callable[..., Result], arguments: tuple[str, ...], told: str
) -> None:
    ended = tacho(*arguments)

    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())
    assert count_rows() == (0, 0, 0)


def test_a_pinned_run_is_queued_as_long_as_the_framework_is_unchanged(
    tacho: Callable[..., Result], live_url: str
) -> None:
    node = httpx2.get(f"{live_url}/api/v1/frameworks/node", trust_env=False).json()

    ended = tacho("node", *HELLO, "--pin", f"node={node['digest'][:12]}")

    assert ended.exit_code == 0, ended.output
    assert count_rows()[0] == 1
