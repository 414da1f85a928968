"""Results: finished cells with all that a comparison of them needs, of whichever runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison import repository
from backend.core.comparison.environment import Difference, differences
from backend.core.comparison.stats import Estimate
from backend.core.models import CellSummary, Framework, Run, Scenario
from backend.core.units import Metric

# Repetition to value.
Values = Mapping[int, float]


@dataclass(frozen=True)
class Result:
    """A cell of an ended run: where it is from, its estimates, and its trials' own values."""

    cell: CellSummary
    run: Run
    host: str
    framework: Framework
    scenario: Scenario
    estimates: Mapping[Metric, Estimate]
    values: Mapping[Metric, Values]
    # As kept with the first trial that succeeded.
    environment: Mapping[str, Any]


def list_results(
    session: Session, cell_ids: Collection[UUID], metrics: Collection[Metric] = tuple(Metric)
) -> list[Result]:
    """The results of these cells in the order of their ids; what has none is left out.

    Args:
        metrics: which of their numbers are wanted.
    """
    rows = repository.list_cells(session, cell_ids)
    estimates = repository.list_estimates(session, cell_ids, metrics)
    values = repository.list_values(session, cell_ids, metrics)
    environments = repository.list_environments(session, cell_ids)
    return [
        Result(
            cell=row.summary,
            run=row.run,
            host=row.host,
            framework=row.framework,
            scenario=row.scenario,
            estimates=estimates.get(row.summary.cell_id, {}),
            values=values.get(row.summary.cell_id, {}),
            environment=environments.get(row.summary.cell_id, {}),
        )
        for row in rows
    ]


# Another framework, or another version of it, is what a comparison is about; the runtime is told
# by the cell.
_TOLD_APART = frozenset({"framework", "runtime"})


def result_differences(one: Result, other: Result) -> list[Difference]:
    """Why two results' numbers may not be set against each other; empty when they may."""
    found = [Difference(*named) for named in _named(one, other) if named[1] != named[2]]
    same_scenario = one.cell.scenario == other.cell.scenario
    ignored = _TOLD_APART if same_scenario else _TOLD_APART | {"scenario"}
    return found + differences(one.environment, other.environment, ignored)


def _named(one: Result, other: Result) -> Sequence[tuple[str, str, str]]:
    """Subject and both values of what the environments of trials do not tell."""
    ours, theirs = one.cell.parameters, other.cell.parameters
    loads = (one.cell.kind, other.cell.kind)
    return [
        ("scenario", one.scenario.name, other.scenario.name),
        ("host", one.host, other.host),
        ("runtime", one.cell.runtime, other.cell.runtime),
        ("load", *loads),
        *(
            (f"parameters.{name}", str(ours.get(name, "none")), str(theirs.get(name, "none")))
            for name in sorted({*ours, *theirs})
            if loads[0] == loads[1]
        ),
    ]
