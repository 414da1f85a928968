"""Read the results of a run: those that were stored, or those that its trials have so far."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.measurement.instrument.service import find_run_error
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Change, Run
from backend.core.results import repository as results
from backend.core.results.cell_result import RunCellResult
from backend.core.results.cell_summary import (
    NEEDED_METRICS,
    RunSummaries,
    restore_run,
    summarise_run,
)
from backend.core.results.environment import shared_by, without
from backend.core.results.run_results.groups import (
    ResultBlock,
    ResultGroup,
    group_cells,
    list_blocks,
)
from backend.core.results.run_results.rankings import GroupRanking, rank_group, rank_groups
from backend.core.results.version import OUTCOME_VERSION
from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import TrialStatus
from backend.core.units import MAIN_METRICS, Metric, Purpose


@dataclass(frozen=True)
class RunResults:
    """The results of a run. Pages, exports, pictures and the gate are made from them.

    Attributes:
        cells: in the order of the run.
        groups: cells that are ranked together.
        metrics: metrics by trial id.
        tested: the changes that a confirmation run tests, the largest shift first.
    """

    run: Run
    cells: Sequence[RunCellResult]
    groups: Sequence[ResultGroup]
    metrics: Mapping[UUID, Mapping[Metric, float]]
    tested: Sequence[Change] = ()

    @property
    def environment(self) -> Mapping[str, Any]:
        """Return what the environments of all succeeded trials have in common."""
        shared, _ = self._environments
        return shared or {"host": self.run.host.fingerprint}

    @property
    def cell_environments(self) -> Mapping[UUID, Mapping[str, Any]]:
        """Return the rest of the environment of each measured cell by the id of the cell."""
        _, own = self._environments
        return own

    @cached_property
    def _environments(self) -> tuple[dict[str, Any], dict[UUID, dict[str, Any]]]:
        return _split_environments(self.run)

    @cached_property
    def blocks(self) -> list[ResultBlock]:
        """Return the groups as they are shown together."""
        return list_blocks(self.groups)

    @cached_property
    def rankings(self) -> list[GroupRanking]:
        """Return the ranking of each group by its main metric."""
        return self.rank()

    @property
    def trials_finished(self) -> int:
        """Return the number of trials that succeeded, failed or were cancelled."""
        return sum(trial.status in TRIAL_ENDS for trial in self.run.trials)

    def rank_group(
        self, key: str | None = None, metric: Metric | None = None
    ) -> GroupRanking | None:
        """Return the ranking of a group, by default the first; None for a run without cells."""
        found = [group for group in self.groups if group.key == key] or self.groups
        if not found:
            return None
        return rank_group(found[0], self.run.purpose, metric, goal=self.run.goal)

    def rank(self, metric: Metric | None = None, baseline: str | None = None) -> list[GroupRanking]:
        """Return the ranking of each group.

        Args:
            metric: default: the main metric of each kind of load.
            baseline: slug of a framework of the run. Default: the best result of each group.

        Raises:
            InvalidRequest: the run does not contain the baseline framework.
        """
        return _rank(self.run, self.groups, metric, baseline)


def read_summaries(
    session: Session, run: Run, metrics: Collection[Metric] | None = None
) -> RunSummaries:
    """Return the results of a run's cells: stored ones, unless none are up to date.

    They lack the errors of the host.

    Args:
        run: loaded with its cells and trials.
        metrics: those for which estimates are wanted; None for all.
    """
    is_stored = run.outcome_version == OUTCOME_VERSION
    ended = [trial.id for trial in run.trials if trial.status in TRIAL_ENDS]
    needed = metrics if metrics is None or is_stored else {*metrics, *NEEDED_METRICS}
    values = measurements.list_metrics(session, ended, needed)
    if not is_stored:
        return summarise_run(run, values)
    wanted = tuple(Metric) if metrics is None else metrics
    estimates = results.list_estimates(session, [cell.id for cell in run.cells], wanted)
    return restore_run(run, values, results.list_summaries(session, run.id), estimates)


def read_run_results(
    session: Session,
    run: Run,
    summaries: RunSummaries | None = None,
    *,
    is_ranked: bool = True,
) -> RunResults:
    """Return the results of a run that was loaded with its cells and trials.

    Args:
        summaries: the results of its cells, if they are known.
        is_ranked: whether they are ranked. Otherwise they lack what only rankings and answers need:
            the errors of the host, and the tested changes.
    """
    if summaries is None:
        summaries = read_summaries(session, run)
    cells = _add_error(session, summaries.cells, run) if is_ranked else summaries.cells
    is_confirmation = run.purpose == Purpose.CONFIRMATION
    return RunResults(
        run=run,
        cells=cells,
        groups=group_cells(cells),
        metrics=summaries.metrics,
        tested=_list_tested(session, run.id) if is_ranked and is_confirmation else [],
    )


def _list_tested(session: Session, run_id: UUID) -> Sequence[Change]:
    """Return the changes that this confirmation run tested or tests, the largest shift first."""
    query = select(Change).where(Change.confirmation_run_id == run_id)
    size = func.abs(func.ln(Change.ratio))
    return session.scalars(query.order_by(size.desc(), Change.id)).all()


def _add_error(
    session: Session, cells: Sequence[RunCellResult], run: Run
) -> Sequence[RunCellResult]:
    """Return results with the errors of the host and its load generator."""
    error = find_run_error(session, run)
    return [replace(cell, instrument=error) for cell in cells]


def read_rankings(
    session: Session, run: Run, metric: Metric | None = None, baseline: str | None = None
) -> list[GroupRanking]:
    """Return the rankings of `RunResults.rank`, but load no metrics that they do not need.

    Args:
        run: loaded with its cells and trials.
        metric, baseline: see `RunResults.rank`.

    Raises:
        InvalidRequest: the run does not contain the baseline framework.
    """
    summaries = read_summaries(session, run, MAIN_METRICS if metric is None else {metric})
    return _rank(run, group_cells(_add_error(session, summaries.cells, run)), metric, baseline)


def _rank(
    run: Run, groups: Sequence[ResultGroup], metric: Metric | None, baseline: str | None
) -> list[GroupRanking]:
    slugs = list(dict.fromkeys(cell.framework.slug for cell in run.cells))
    if baseline is not None and baseline not in slugs:
        detail = f"The run has no framework {baseline!r}; it has {', '.join(slugs)}."
        raise InvalidRequest.about("baseline", detail)
    return rank_groups(groups, run.purpose, metric, baseline, run.goal)


def _split_environments(run: Run) -> tuple[dict[str, Any], dict[UUID, dict[str, Any]]]:
    """Return what the environments of a run share, and by cell id what its first trial adds.

    Only succeeded trials count, unless there are none.
    """
    known = [trial for trial in run.trials if trial.environment]
    counted = [trial for trial in known if trial.status == TrialStatus.SUCCEEDED] or known
    shared = shared_by([trial.environment for trial in counted])
    firsts = {trial.cell_id: trial.environment for trial in reversed(counted)}
    return shared, {cell_id: without(own, shared) for cell_id, own in firsts.items()}
