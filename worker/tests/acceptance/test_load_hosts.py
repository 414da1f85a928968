"""Load that comes from two other bench hosts, in a complete Tacho."""

import shutil
from collections.abc import Iterator, Sequence

import pytest

from backend.core.units import RuntimeKind, ServiceNetwork
from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import DURATION_SECONDS, RATE_RPS, cell
from worker.tests.acceptance.remains import is_true_within, list_remains

_PARTS = ("load-1", "load-2")
_CLOCK_SECONDS = "5"
# The time namespace in which the clocks of a load host differ from those of all others.
_OTHER_TIME = (
    *("unshare", "--time", "--monotonic", _CLOCK_SECONDS, "--boottime", _CLOCK_SECONDS),
    *("--fork", "--kill-child"),
)


@pytest.fixture
def load_hosts(
    stack: Stack, runtime: RuntimeKind, request: pytest.FixtureRequest
) -> Iterator[Sequence[str]]:
    """The names of two load hosts; the second one runs behind the parameter as a command."""
    if runtime is RuntimeKind.DOCKER:
        pytest.skip("containers cannot be reached at a loopback address")
    second: Sequence[str] = getattr(request, "param", ())
    if second and shutil.which(second[0]) is None:
        pytest.skip("unshare is missing; install util-linux")
    yield [stack.start_other_host(_PARTS[0]), stack.start_other_host(_PARTS[1], second)]
    for part in _PARTS:
        if stack.is_running(part):
            stack.stop(part)


@pytest.mark.parametrize(
    "load_hosts", [(), _OTHER_TIME], ids=["same clocks", "other clocks"], indirect=True
)
def test_load_hosts_send_the_load(stack: Stack, load_hosts: Sequence[str]) -> None:
    run = stack.create_run([cell("go-nethttp", "slow-upstream")], load_hosts=load_hosts)

    ended = stack.api.await_run(run, 240)

    assert ended["status"] == "succeeded", describe(ended)
    assert ended["load_hosts"] == load_hosts
    trial = stack.api.get(f"/trials/{ended['trials'][0]['id']}")
    # On a busy machine, a request may be sent in the next second.
    assert trial["requests_total"] == pytest.approx(RATE_RPS * DURATION_SECONDS, rel=0.02)
    assert trial["metrics"]["success_ratio"] == 1
    assert trial["checks"]["wrong"] == 0
    joined = trial["environment"]["load_hosts"]
    assert [host["name"] for host in joined] == load_hosts
    # A loopback address cannot be translated into another network.
    assert trial["environment"]["service_network"] == ServiceNetwork.HOST
    assert trial["environment"]["isolation_notes"][0].startswith("Not isolated")
    for host in joined:
        network = host["network"]
        assert 0 < network["min_ms"] <= network["p50_ms"] <= network["p99_ms"] <= network["max_ms"]
        assert network["send_mbps"] > 0
        assert network["receive_mbps"] > 0
    measured = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    assert len(measured) == DURATION_SECONDS
    assert all(second["cpu_service_seconds"] > 0 for second in measured)
    assert all(second["cpu_load_seconds"] > 0 for second in measured)
    assert list_remains(stack, ended) == []


def test_load_hosts_that_die_cause_another_attempt(stack: Stack, load_hosts: Sequence[str]) -> None:
    load = cell("go-nethttp", duration_seconds=6)
    run = stack.create_run([load], load_hosts=load_hosts)
    stack.api.await_stage(run, frozenset({"measuring"}), 240)

    stack.kill(_PARTS[1])
    assert is_true_within(60, lambda: bool(stack.api.get_run(run)["trials"][0]["retried_failures"]))
    stack.start_other_host(_PARTS[1])
    ended = stack.api.await_run(run, 240)

    (trial,) = ended["trials"]
    assert ended["status"] == "succeeded", describe(ended)
    failure = trial["retried_failures"][0]
    assert (failure["code"], failure["cause"]) == ("load_host_lost", "infrastructure")
    assert load_hosts[1] in failure["detail"]
    assert load_hosts[0] not in failure["detail"]
    assert list_remains(stack, ended) == []
