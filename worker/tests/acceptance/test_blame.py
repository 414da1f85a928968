"""A failure names the program that died. Only failures of Tacho's own programs are repeated."""

import signal
from collections.abc import Iterator

import pytest

from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from tools.chaos.victims import SERVICE, TrialParts, send
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within, list_remains

_LIBRARIES = ("sqlalche", "psycopg", "urllib3", "http+docker", "OCI runtime", "exit code 137")


@pytest.fixture
def parts(stack: Stack) -> Iterator[TrialParts]:
    """Find the programs of a trial."""
    parts = TrialParts(stack.runtime, stack.layout.data)
    yield parts
    parts.close()


def ask(stack: Stack) -> Document:
    load = cell("go-nethttp", "slow-upstream", warm_up_seconds=3, duration_seconds=6)
    return stack.create_run([load])


def kill(stack: Stack, parts: TrialParts, run: Document, stage: str, name: str) -> None:
    """Kill a program of the run's only trial when it reaches a stage."""
    under_way = stack.api.await_stage(run, frozenset({stage}), 90)
    (trial,) = under_way["trials"]

    def strike() -> bool:
        victim = parts.find(trial["id"], lambda found: found == name)
        return victim is not None and send(victim, signal.SIGKILL)

    assert is_true_within(10, strike)


def check_words(failure: Document) -> None:
    assert not [word for word in _LIBRARIES if word in failure["detail"]], failure["detail"]
    assert not failure["detail"].rstrip().endswith(":")


@pytest.mark.parametrize("stage", ["verifying", "measuring"])
def test_a_service_that_is_killed(stack: Stack, parts: TrialParts, stage: str) -> None:
    run = ask(stack)
    kill(stack, parts, run, stage, SERVICE)

    ended = stack.api.await_run(run, 90)

    (trial,) = ended["trials"]
    failure = trial["failure"]
    assert ended["status"] == "failed", describe(ended)
    assert (failure["code"], failure["cause"]) == ("service_died", "service")
    assert "The service was killed by SIGKILL (possibly out of memory)" in failure["detail"]
    assert trial["attempt"] == 1
    check_words(failure)
    assert list_remains(stack, ended) == []


@pytest.mark.parametrize(
    ("name", "stage", "code", "cause", "words"),
    [
        ("k6", "verifying", "load_generator_died", "load_generator", "The load generator"),
        ("k6", "measuring", "load_generator_died", "load_generator", "The load generator"),
        (
            "mock-upstream",
            "measuring",
            "backing_service_died",
            "infrastructure",
            "The backing service mock-upstream",
        ),
    ],
)
def test_a_program_of_tacho_that_is_killed(
    stack: Stack, parts: TrialParts, name: str, stage: str, code: str, cause: str, words: str
) -> None:
    run = ask(stack)
    kill(stack, parts, run, stage, name)

    ended = stack.api.await_run(run, 120)

    (trial,) = ended["trials"]
    assert ended["status"] == "succeeded", describe(ended)
    assert trial["attempt"] == 2
    (failure,) = trial["retried_failures"]
    assert (failure["code"], failure["cause"]) == (code, cause)
    assert f"{words} was killed by SIGKILL" in failure["detail"]
    check_words(failure)
    assert list_remains(stack, ended) == []


def test_a_network_container_that_is_removed(stack: Stack, parts: TrialParts) -> None:
    if stack.runtime is not RuntimeKind.DOCKER:
        pytest.skip("Processes share the network of the host.")
    run = ask(stack)
    (trial,) = stack.api.await_stage(run, frozenset({"measuring"}), 120)["trials"]
    holder = parts.find_container(trial["id"], lambda name: name == "holder")
    assert parts.engine is not None
    assert holder is not None
    parts.engine.remove_container(holder, force=True)

    ended = stack.api.await_run(run, 120)

    assert ended["status"] == "succeeded", describe(ended)
    (failure,) = ended["trials"][0]["retried_failures"]
    assert failure["cause"] == "infrastructure"
    check_words(failure)
