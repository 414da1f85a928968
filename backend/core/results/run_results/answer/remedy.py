"""The run that would be usable, computed from a run that is not; pure."""

from collections.abc import Mapping, Sequence
from math import floor, log10
from uuid import UUID

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import (
    MAX_WARM_UP_SECONDS,
    find_profile,
    resolve_parameters,
)
from backend.core.documents import JsonObject, Parameters
from backend.core.measurement.measurements.steadiness import MIN_WINDOW_SECONDS
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS, EXCLUDING, UNSTEADY
from backend.core.models import Cell, Run
from backend.core.results.cell_result import RunCellResult
from backend.core.results.loads import name_value
from backend.core.results.run_results.answer.group import GroupAnswer, Ranked
from backend.core.results.run_results.answer.load import LOAD_PARAMETERS
from backend.core.results.run_results.answer.model import RunRemedy
from backend.core.results.run_results.answer.outcome import (
    MIN_ACHIEVED,
    MISSED,
    Cause,
    find_cause,
    find_main_cause,
    list_blockers,
)
from backend.core.results.run_results.answer.warnings import find_exclusion
from backend.core.runs.planning import MAX_TRIALS
from backend.core.runs.status import REPEATED_CAUSES
from backend.core.units import Metric, ProfileKind, Purpose, Verdict

# A service is proposed this share of the rate that it answered, and of a load that it answered
# late or with errors.
_SAFE_SHARE = 0.8
_LOWER_SHARE = 0.5
# A host that is this busy may explain why a rate was missed by less.
_MIN_ACHIEVED_IF_BUSY = 0.9
# Proposed rates are round.
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
# Only a change of the service would help.
_OF_SERVICE = frozenset(
    {
        Verdict.WORK_NOT_DONE,
        Verdict.WRONG_ANSWERS,
        Verdict.FASTER_THAN_POSSIBLE,
        Verdict.BEHAVIOUR_CHANGED,
    }
)
_WHEN_IDLE = "when the host is idle"
_TOO_MUCH_LOAD = MISSED | {Verdict.TOO_MANY_ERRORS, Verdict.SERVICE_SATURATED}
# The shortest limit of a warm-up that is proposed for a load that was not steady.
_LONG_WARM_UP_SECONDS = 60
# New values of the load's parameter by cell id.
_Loads = dict[UUID, int]
# New values of parameters by cell id.
_Changes = Mapping[UUID, Mapping[str, int]]


def find_remedy(groups: Sequence[GroupAnswer], run: Run) -> RunRemedy | None:
    """Return the run that would be usable; None if only another service or build would help."""
    if run.purpose == Purpose.CONFIRMATION:
        return None
    blockers = list_blockers(groups)
    cause = find_main_cause(blockers, run.status)
    of_cause = [item for item in blockers if find_cause(item, run.status) is cause]
    if cause is Cause.EXCLUDED and _are_unsteady([result for result, _ in of_cause]):
        return _warm_up_longer(run)
    words, loads = _find_change(cause, of_cause, run.cells)
    if words is None:
        return None
    trials = _count_trials(run, len(run.cells))
    if run.goal is None and trials > run.trials_per_cell:
        join = "and" if words and words[-1].startswith("with ") else "with"
        words = [*words, f"{join} {trials} trials"]
    changes = {
        cell.id: {LOAD_PARAMETERS[ProfileKind(cell.kind)]: loads[cell.id]}
        for cell in run.cells
        if cell.id in loads
    }
    plan = make_plan(run, changes, trials)
    return None if plan is None else RunRemedy(" ".join(["Run again", *words]), plan)


def find_steady_remedy(cells: Sequence[RunCellResult], run: Run) -> RunRemedy | None:
    """Return the run that would show excluded results in a steady state; None without such results.

    Results that have another reason for their exclusion are left out.
    """
    unsteady = [result for result in cells if _are_unsteady([result])]
    return _warm_up_longer(run) if unsteady else None


def _are_unsteady(results: Sequence[RunCellResult]) -> bool:
    """Return whether only the state of their services excludes these results."""
    return all(
        (verdicts := set(result.verdicts) & EXCLUDING) and verdicts <= UNSTEADY
        for result in results
    )


def _warm_up_longer(run: Run) -> RunRemedy | None:
    """Return the same run with a longer warm-up, and with a window that shows a steady state."""
    changes = {cell.id: _lengthen(cell.parameters) for cell in run.cells}
    longest = max(change["warm_up_seconds"] for change in changes.values())
    plan = make_plan(run, changes, run.trials_per_cell)
    label = f"Run again with up to {longest} s of warm-up"
    return None if plan is None else RunRemedy(label, plan)


def _lengthen(parameters: Parameters) -> dict[str, int]:
    cap = max(2 * parameters["warm_up_seconds"], _LONG_WARM_UP_SECONDS)
    window = "step_seconds" if "steps" in parameters else "duration_seconds"
    return {
        "warm_up_seconds": min(cap, MAX_WARM_UP_SECONDS),
        window: max(parameters[window], MIN_WINDOW_SECONDS),
    }


def repeat(run: Run, label: str) -> RunRemedy | None:
    """Return the same run with another label."""
    plan = make_plan(run, {}, run.trials_per_cell)
    return None if plan is None else RunRemedy(label, plan)


def _find_change(
    cause: Cause, items: Sequence[Ranked], cells: Sequence[Cell]
) -> tuple[list[str] | None, _Loads]:
    """Return what to do differently, in words and as loads; None if no run would help."""
    results = [result for result, _ in items]
    if cause in (Cause.CANCELLED, Cause.FEW_TRIALS):
        return [], {}
    if cause is Cause.FAILED:
        return ([] if all(map(_may_succeed, results)) else None), {}
    if cause is Cause.WITHOUT_VALUE:
        return _propose(
            cells, _lower_loads([r for r in results if r.kind is ProfileKind.STEPS], cells)
        )
    return _find_change_of_excluded(results, cells)


def _find_change_of_excluded(
    results: Sequence[RunCellResult], cells: Sequence[Cell]
) -> tuple[list[str] | None, _Loads]:
    verdicts = {_find_reason(result) for result in results}
    if verdicts & _OF_SERVICE:
        return None, {}
    if Verdict.SERVER_IDLE in verdicts:
        idle = [result.cell for result in results if _has(result, Verdict.SERVER_IDLE)]
        return _propose(cells, {cell.id: 2 * _load_of(cell) for cell in idle})
    if not verdicts & _TOO_MUCH_LOAD or _is_host_to_blame(results):
        is_busy = any(
            _has(result, verdict)
            for result in results
            for verdict in (Verdict.HOST_DISTURBED, Verdict.HOST_BUSY)
        )
        return [_WHEN_IDLE] if is_busy else [], {}
    return _propose(cells, _lower_loads(results, cells))


def _find_reason(result: RunCellResult) -> Verdict | None:
    """Return the verdict that excludes a result from its ranking, perhaps only by this metric."""
    is_bound = _has(result, Verdict.SERVICE_SATURATED)
    return find_exclusion(result) or (Verdict.SERVICE_SATURATED if is_bound else None)


def _propose(cells: Sequence[Cell], loads: _Loads) -> tuple[list[str] | None, _Loads]:
    return (_name_loads(cells, loads) if loads else None), loads


def _may_succeed(result: RunCellResult) -> bool:
    """Return whether the service is not to blame for any failure of a result."""
    return all(trial.failure.cause in REPEATED_CAUSES for trial in result.trials if trial.failure)


def _is_host_to_blame(results: Sequence[RunCellResult]) -> bool:
    """Return whether all results missed the rate by little while the host was busy."""
    for result in results:
        achieved = result.estimates.get(Metric.THROUGHPUT_RPS)
        if result.cell.kind != ProfileKind.RATE or achieved is None:
            return False
        is_near = achieved.estimate >= _MIN_ACHIEVED_IF_BUSY * _load_of(result.cell)
        is_late = find_exclusion(result) in MISSED
        if not (is_near and is_late and _has(result, Verdict.HOST_BUSY)):
            return False
    return True


def _has(result: RunCellResult, verdict: Verdict) -> bool:
    return verdict in result.verdicts


def _key(cell: Cell) -> tuple[str, str]:
    return cell.scenario.slug, cell.profile


def _load_of(cell: Cell) -> int:
    return cell.parameters[LOAD_PARAMETERS[ProfileKind(cell.kind)]]


def _lower_loads(results: Sequence[RunCellResult], cells: Sequence[Cell]) -> _Loads:
    """Return loads that all frameworks of a scenario and profile should be able to answer."""
    limits: dict[tuple[str, str], int] = {}
    for result in results:
        limit = _find_limit(result) if result.kind in LOAD_PARAMETERS else None
        if limit is not None:
            key = _key(result.cell)
            limits[key] = min(limit, limits.get(key, limit))
    return {
        cell.id: min(limits[_key(cell)], _load_of(cell)) for cell in cells if _key(cell) in limits
    }


def _find_limit(result: RunCellResult) -> int | None:
    kind, target = result.kind, _load_of(result.cell)
    if kind in (ProfileKind.USERS, ProfileKind.SATURATE):
        success = result.estimates.get(Metric.SUCCESS_RATIO)
        is_failing = find_exclusion(result) is Verdict.TOO_MANY_ERRORS
        share = _SAFE_SHARE * success.estimate if success and is_failing else _LOWER_SHARE
        return round_down(share * target) if share * target >= 1 else None
    throughput = result.estimates.get(Metric.THROUGHPUT_RPS)
    achieved = min(throughput.estimate, target) if throughput else 0.0
    if achieved < 1:
        return None
    share = _SAFE_SHARE if achieved < MIN_ACHIEVED * target else _LOWER_SHARE
    return round_down(share * achieved)


def round_down(value: float) -> int:
    """Return the largest round number up to a value, at least 1."""
    if value < 1:
        return 1
    power = 10.0 ** floor(log10(value))
    return max(1, int(max(item for item in _ROUND if item * power <= value * (1 + 1e-9)) * power))


def _name_loads(cells: Sequence[Cell], loads: _Loads) -> list[str]:
    """Return `at 500 req/s`, or `at other loads` if the cells need different loads."""
    named = {(ProfileKind(cell.kind), loads[cell.id]) for cell in cells if cell.id in loads}
    if len(named) > 1:
        return ["at other loads"]
    ((kind, value),) = named
    preposition = {ProfileKind.RATE: "at", ProfileKind.STEPS: "from"}.get(kind, "with")
    name = "rate_rps" if kind is ProfileKind.STEPS else LOAD_PARAMETERS[kind]
    return [f"{preposition} {name_value(name, value)}"]


def _count_trials(run: Run, cells: int) -> int:
    return max(1, min(max(ENOUGH_TRIALS, run.trials_per_cell), MAX_TRIALS // max(cells, 1)))


def make_plan(run: Run, changes: _Changes, trials: int) -> JsonObject | None:
    """Return the body of a request for a run of the same cells with other parameters.

    None if the catalogue no longer has a cell.

    Args:
        changes: new values of parameters by cell id.
    """
    cells: list[JsonObject] = []
    for cell in run.cells:
        parameters = {**cell.parameters, **changes.get(cell.id, {})}
        if not _is_valid(cell, parameters):
            return None
        planned: JsonObject = {
            "framework": cell.framework.slug,
            "scenario": cell.scenario.slug,
            "profile": cell.profile,
            "parameters": parameters,
        }
        # Equal loads of a sweep become one. Calibrations measure equal cells on purpose.
        if planned not in cells or run.purpose == Purpose.CALIBRATION:
            cells.append(planned)
    plan: JsonObject = {"cells": cells, "visibility": run.visibility, **_list_trials(run, trials)}
    if run.purpose == Purpose.CALIBRATION:
        plan["purpose"] = run.purpose
    # The host and the title of an example belong to another installation.
    return plan if run.host.example else {"title": run.title, "host": run.host.name, **plan}


def _list_trials(run: Run, trials: int) -> JsonObject:
    goal = run.goal
    if goal is None:
        return {"trials": trials}
    until: object = "ranked"
    if goal.precision is not None:
        until = {
            "metric": goal.precision.metric,
            "precision_percent": goal.precision.percent,
        }
    return {"until": until, "max_trials": goal.max_trials, "max_minutes": goal.max_minutes}


def _is_valid(cell: Cell, parameters: Parameters) -> bool:
    manifest = ScenarioManifest.model_validate(cell.scenario.manifest)
    profile = find_profile(manifest, cell.profile)
    if profile is None or cell.scenario.slug not in cell.framework.manifest["scenarios"]:
        return False
    return not resolve_parameters(profile, parameters)[1]
