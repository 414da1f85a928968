"""PostgreSQL and Redis run next to a service that requires them."""

from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import list_remains


def test_a_service_uses_the_databases_next_to_it(stack: Stack) -> None:
    """Its `/health` answers 200 once it has read from both what it wrote."""
    run = stack.api.await_run(stack.create_run([cell("with-databases")]), 300)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    logs = {log["name"] for log in stack.api.get(f"/trials/{trial['id']}/logs")["items"]}
    assert {"service", "postgres", "redis"} <= logs
    assert list_remains(stack, run) == []
