"""Write histories directly, because a detector needs dozens of runs.

`python -m backend.tests.histories` writes a history with a change into the installation of
TACHO_DATA, for the browser tests.
"""

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import exp, log
from pathlib import Path
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.catalog.repository import list_hosts
from backend.core.changes.service import find_run_changes
from backend.core.config import get_settings
from backend.core.db import new_id, unit_of_work
from backend.core.models import Cell, CellMetric, CellSummary, Framework, Run, Scenario, Trial
from backend.core.runs.slug import new_slug
from backend.core.units import Metric, ProfileKind, RuntimeKind
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.tests.factories import first_workspace

_FIRST = datetime(2026, 11, 1, tzinfo=UTC)
_PROFILE = "rate-quick"
_PARAMETERS = {"rate_rps": 500, "warm_up_seconds": 1, "duration_seconds": 3}
_DEVIATION = 0.02


@dataclass
class _RunRows:
    """A run that is not stored yet, with the rows of its cells."""

    run: Run
    cells: list[Cell] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    summaries: list[CellSummary] = field(default_factory=list)
    metrics: list[CellMetric] = field(default_factory=list)


class History:
    """Runs of some frameworks × hello on a host, one per day, at levels with 2 % noise.

    The host adds `drift`, a standard deviation of logs, to all services of a run.
    All metrics move together, like CPU time and the latencies that it causes.
    """

    def __init__(
        self,
        session: Session,
        host_id: UUID,
        frameworks: Sequence[str] = ("node",),
        metrics: Sequence[Metric] = (Metric.LATENCY_P50_MS,),
        visibility: str = "public",
        first: datetime = _FIRST,
        drift: float = 0.0,
    ) -> None:
        self._session = session
        self._host_id = host_id
        query = select(Framework).where(Framework.slug.in_(frameworks))
        found = {framework.slug: framework for framework in session.scalars(query)}
        self._frameworks = [found[slug] for slug in frameworks]
        self._scenario = session.scalars(select(Scenario).where(Scenario.slug == "hello")).one()
        self._workspace_id = first_workspace(session)
        self._metrics = metrics
        self._visibility = visibility
        self._first = first
        self._drift = drift
        self._chance = random.Random(11)
        self._landed = 0

    def land(
        self,
        count: int,
        level: float,
        builds: Mapping[str, str] | None = None,
        others: Mapping[str, str] | None = None,
        others_level: float | None = None,
    ) -> None:
        """Add a number of runs at this level, and search for changes after each.

        The first level of a history has nothing to find, so only its last run is searched.
        """
        if not self._landed:
            runs = self.add_many(count, level, builds, others, others_level)
            find_run_changes(self._session, runs[-1])
            return
        for _ in range(count):
            find_run_changes(self._session, self.add(level, builds, others, others_level))

    def add(
        self,
        level: float,
        builds: Mapping[str, str] | None = None,
        others: Mapping[str, str] | None = None,
        others_level: float | None = None,
    ) -> Run:
        """Add a run at this level without a search for changes.

        Args:
            builds: builds of each service. `others` are the builds of all frameworks except the
            first, if given, and `others_level` is their level.
        """
        return self.add_many(1, level, builds, others, others_level)[0]

    def add_many(
        self,
        count: int,
        level: float,
        builds: Mapping[str, str] | None = None,
        others: Mapping[str, str] | None = None,
        others_level: float | None = None,
    ) -> list[Run]:
        """Add a number of runs as `add` does, with one statement per table."""
        runs = [self._build(level, builds, others, others_level) for _ in range(count)]
        for part in (
            [row for rows in runs for row in (rows.run, *rows.cells, *rows.trials)],
            [summary for rows in runs for summary in rows.summaries],
            [metric for rows in runs for metric in rows.metrics],
        ):
            self._session.add_all(part)
            self._session.flush()
        return [rows.run for rows in runs]

    def _build(
        self,
        level: float,
        builds: Mapping[str, str] | None,
        others: Mapping[str, str] | None,
        others_level: float | None,
    ) -> _RunRows:
        run = Run(
            id=new_id(),
            workspace_id=self._workspace_id,
            slug=new_slug(),
            title="Nightly",
            status="succeeded",
            visibility=self._visibility,
            host_id=self._host_id,
            trials_per_cell=1,
            seed=1,
            request_digest="",
            created_at=self._first + timedelta(days=self._landed),
        )
        rows = _RunRows(run)
        drift = exp(self._chance.gauss(0, self._drift)) if self._drift else 1.0
        for position, framework in enumerate(self._frameworks):
            if position:
                level, builds = others_level or level, others or builds
            self._build_cell(rows, framework, level * drift, builds)
        self._landed += 1
        return rows

    def _build_cell(
        self, rows: _RunRows, framework: Framework, level: float, builds: Mapping[str, str] | None
    ) -> None:
        run, position = rows.run, len(rows.cells)
        cell = Cell(
            id=new_id(),
            run_id=run.id,
            position=position,
            framework_id=framework.id,
            scenario_id=self._scenario.id,
            framework_digest=framework.digest,
            scenario_digest=self._scenario.digest,
            profile=_PROFILE,
            kind=ProfileKind.RATE,
            parameters=_PARAMETERS,
        )
        image_digest = "+".join(builds.values()) if builds else None
        trial = Trial(
            run_id=run.id,
            cell_id=cell.id,
            host_id=self._host_id,
            repetition=1,
            position=position,
            status="succeeded",
            environment={"builds": dict(builds)} if builds else {},
            image_digest=image_digest,
        )
        summary = CellSummary(
            cell_id=cell.id,
            run_id=run.id,
            workspace_id=run.workspace_id,
            host_id=self._host_id,
            at=run.created_at,
            framework=framework.slug,
            scenario="hello",
            profile=_PROFILE,
            kind=ProfileKind.RATE,
            parameters=_PARAMETERS,
            runtime=RuntimeKind.PROCESS,
            host_digest="as measured",
            harness_digest="h",
            framework_digest=framework.digest,
            scenario_digest=self._scenario.digest,
            image_digest=image_digest,
            board="of a test",
            trials_succeeded=5,
            trials_failed=0,
            verdicts=[],
            excluded=False,
        )
        noise = self._chance.gauss(0, _DEVIATION)
        rows.cells.append(cell)
        rows.trials.append(trial)
        rows.summaries.append(summary)
        rows.metrics += [_metric(summary, metric, log(level) + noise) for metric in self._metrics]


def _metric(summary: CellSummary, metric: Metric, mean_log: float) -> CellMetric:
    return CellMetric(
        cell_id=summary.cell_id,
        metric=metric,
        framework=summary.framework,
        scenario=summary.scenario,
        at=summary.at,
        estimate=exp(mean_log),
        low=exp(mean_log - _DEVIATION),
        high=exp(mean_log + _DEVIATION),
        n=5,
        mean_log=mean_log,
        sd_log=_DEVIATION,
    )


def main() -> None:
    """Write a history of Sinatra × hello that is 8 % slower for six days. Other browser tests do
    not use this framework."""
    layout = Layout(Path(os.environ["TACHO_DATA"]))
    os.environ["DATABASE_URL"] = EmbeddedPostgres(layout).url
    get_settings.cache_clear()
    with unit_of_work() as session:
        (host,) = list_hosts(session)
        first = datetime.now(UTC) - timedelta(days=31)
        history = History(session, host.id, frameworks=["sinatra"], first=first)
        history.land(24, 10.0)
        history.land(6, 10.8)


if __name__ == "__main__":
    main()
