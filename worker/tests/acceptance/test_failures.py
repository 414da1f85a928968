"""Services that fail: the reason is understandable, and their logs are stored."""

from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import list_remains


def fail(stack: Stack, slug: str, timeout_s: float = 60) -> tuple[Document, str]:
    """Return the failure of the service's only trial, and the log of the service."""
    run = stack.api.await_run(stack.create_run([cell(slug)]), timeout_s)
    assert run["status"] == "failed"
    assert list_remains(stack, run) == []
    (trial,) = run["trials"]
    logs = stack.api.get(f"/trials/{trial['id']}/logs")["items"]
    return trial["failure"], {log["name"]: log["content"] for log in logs}["service"]


def test_a_service_that_dies_at_start(stack: Stack) -> None:
    failure, log = fail(stack, "dies-at-start")

    assert (failure["code"], failure["stage"]) == ("start_failed", "starting")
    assert failure["cause"] == "service"
    assert "The service ended with exit code 3 before it was ready." in failure["detail"]
    assert "cannot read licence.key: no such file" in failure["detail"]
    assert "cannot read licence.key: no such file" in log


def test_a_service_that_dies_under_load(stack: Stack) -> None:
    failure, log = fail(stack, "dies-under-load")

    assert (failure["code"], failure["stage"]) == ("service_died", "measuring")
    assert failure["cause"] == "service"
    assert "The service ended with exit code 7 under load." in failure["detail"]
    assert "out of file handles" in failure["detail"]
    assert "out of file handles" in log


def test_a_service_that_is_never_ready(stack: Stack) -> None:
    """It listens on another port: a common mistake in new services."""
    failure, _ = fail(stack, "wrong-port", timeout_s=90)

    assert (failure["code"], failure["stage"]) == ("start_failed", "starting")
    assert "service was not ready after 45 s" in failure["detail"]
    assert "refused" in failure["detail"]
