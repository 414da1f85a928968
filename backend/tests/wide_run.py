"""Store a run of eight frameworks and three scenarios in a running Tacho, and print its slug.

The browser tests use it: such a run takes an hour to measure. Run it as a module, with the
TACHO_DATA of that Tacho: `.venv/bin/python -m backend.tests.wide_run`.
"""

import os

from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Cell
from backend.core.runs import repository, service
from backend.core.units import Metric, Verdict
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.tests.factories import add_host, first_workspace
from backend.tests.measured_runs import measure_run

_HOST = "eight-by-three"
_FRAMEWORKS = (
    "go-nethttp",
    "vertx",
    "helidon",
    "quarkus-rest",
    "micronaut",
    "spring-webflux",
    "spring-mvc",
    "dropwizard",
)
_SCENARIOS = ("hello", "slow-upstream", "articles")
_TRIALS = 5
_TITLE = "Eight frameworks in three scenarios, to find out which one needs the least CPU"


def store_run() -> str:
    """Store the run, in which another framework leads each scenario, and return its slug."""
    cells = [
        CellRequest(framework, scenario, "rate-quick")
        for scenario in _SCENARIOS
        for framework in _FRAMEWORKS
    ]
    with unit_of_work() as session:
        host = add_host(session, _HOST)
        request = RunRequest(cells=cells, trials=_TRIALS, host=_HOST, title=_TITLE)
        queued = service.create_run(session, first_workspace(session), request)
        run = repository.get_run(session, str(queued.id))
        return measure_run(session, host.id, run, _measure, _warn).slug


def _measure(cell: Cell) -> dict[Metric, float]:
    """Return a CPU per request that differs between all results of a scenario."""
    scenario = _SCENARIOS.index(cell.scenario.slug)
    place = (_FRAMEWORKS.index(cell.framework.slug) + 3 * scenario) % len(_FRAMEWORKS)
    return {Metric.CPU_US_PER_REQUEST: 60 * (1 + scenario) * (1 + 0.2 * place)}


def _warn(cell: Cell) -> list[Verdict]:
    is_last = cell.framework.slug == _FRAMEWORKS[-1]
    return [Verdict.TOO_MANY_ERRORS] if is_last else [Verdict.HOST_BUSY]


def main() -> None:
    """Use the database of the Tacho of TACHO_DATA."""
    postgres = EmbeddedPostgres(Layout(get_settings().data))
    os.environ["DATABASE_URL"] = postgres.url
    get_settings.cache_clear()
    print(store_run())


if __name__ == "__main__":
    main()
