"""Warnings about the numbers of a trial, as pure functions of its seconds."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from backend.core.measurement.measurements.littles_law import explain_violation
from backend.core.measurement.measurements.steadiness import (
    Steadiness,
    find_shift,
    judge_steadiness,
)
from backend.core.measurement.statistics.estimate import estimate
from backend.core.numbers import join_choices
from backend.core.second import Second
from backend.core.units import (
    BEFORE_LOAD,
    OF_MESSAGE,
    OF_START,
    Aggregation,
    Metric,
    ProfileKind,
    Verdict,
)

# A result with this verdict has only a bound of these metrics, and is not ranked by them.
_BOUNDED: Mapping[Verdict, frozenset[Metric]] = {
    Verdict.SERVICE_SATURATED: frozenset({Metric.CPU_US_PER_REQUEST})
}
# Verdicts about the state in which a service was measured.
UNSTEADY = frozenset({Verdict.NEVER_STEADY, Verdict.STEADINESS_NOT_TESTED})
_EVERY_METRIC = frozenset(Metric)
# Requests fail, wait or are answered in any state of a service. Their share is what was counted.
_COUNTED = frozenset({Metric.SUCCESS_RATIO})
# The metrics that each verdict makes unusable: a result with it describes the harness or a broken
# service, or mixes values that cannot be compared. It is not ranked by them, and they decide no
# claim.
_UNUSABLE: Mapping[Verdict, frozenset[Metric]] = {
    # The service does other work than its name promises, or its trials differ.
    Verdict.WORK_NOT_DONE: _EVERY_METRIC,
    Verdict.WRONG_ANSWERS: _EVERY_METRIC,
    Verdict.FASTER_THAN_POSSIBLE: _EVERY_METRIC,
    Verdict.BEHAVIOUR_CHANGED: _EVERY_METRIC,
    Verdict.RUNTIME_DIFFERS: _EVERY_METRIC,
    Verdict.ENVIRONMENT_CHANGED: _EVERY_METRIC,
    # The load was not sent as planned.
    Verdict.GENERATOR_SATURATED: _EVERY_METRIC - BEFORE_LOAD - OF_MESSAGE,
    Verdict.RATE_MISSED: _EVERY_METRIC - BEFORE_LOAD - OF_MESSAGE,
    Verdict.THROTTLED: _EVERY_METRIC - BEFORE_LOAD - OF_MESSAGE,
    # The service did not serve the load as it could.
    Verdict.SERVER_IDLE: _EVERY_METRIC - BEFORE_LOAD - OF_MESSAGE - _COUNTED,
    Verdict.LITTLES_LAW_VIOLATED: _EVERY_METRIC - BEFORE_LOAD - OF_MESSAGE - _COUNTED,
    # The size of an error is not that of an answer.
    Verdict.TOO_MANY_ERRORS: _EVERY_METRIC - BEFORE_LOAD - _COUNTED,
    Verdict.NEVER_STEADY: _EVERY_METRIC - OF_START - OF_MESSAGE - _COUNTED,
    Verdict.STEADINESS_NOT_TESTED: _EVERY_METRIC - OF_START - OF_MESSAGE - _COUNTED,
    **_BOUNDED,
}
# The verdicts that exclude a result from ranking by the metrics of its load.
EXCLUDING = frozenset(_UNUSABLE) - frozenset(_BOUNDED)
# A history compares a service with itself under the same load, in the same state. So an unsteady
# result is a point of it. Its points are of different days, so no block shares a disturbance.
EXCLUDING_FROM_HISTORY = (EXCLUDING - UNSTEADY) | {Verdict.HOST_DISTURBED}
ENOUGH_TRIALS = 5
# The detail of the verdict `ok`.
NO_PROBLEM = "No check found a problem."

_MIN_ACHIEVED = 0.98
_POISSON_DEVIATIONS = 4
_MAX_LOAD_CPU = 0.9
_MAX_LATE_MS = 10
_MAX_FAILED = 0.01
_MAX_THROTTLED = 0.01
# Tacho's worker and the container engine count too, so a host with few CPUs is never quite idle.
MAX_OTHER_CPU = 0.1
_MIN_SERVICE_CPU = 0.5
# The share of its CPUs from which a service may have needed more.
_SATURATED_CPU = 0.95
# A single busy thread leaves the other CPUs idle: a property of the framework, not a warning.
_ONE_THREAD_SECONDS = 0.85
# A request waits on purpose if the delay of its scenario is at least this share of the latency.
_MIN_DELAY_SHARE = 0.5
# The scenario parameter with the delay of the upstream, or of the service itself.
_DELAY = "delay_ms"
_MIN_FREQUENCY_SHIFT = 1.05
_DRIFT_CONFIDENCE = 0.9


@dataclass(frozen=True)
class ResultWarning:
    """A verdict with the figures that led to it."""

    verdict: Verdict
    detail: str


@dataclass(frozen=True)
class Conditions:
    """Conditions of a trial: how load was offered, and how many CPUs each role had.

    `trial_cpus` counts the CPUs of all roles, each once. `warm_up` is whether the load was steady
    at the end of its warm-up. `late_p99_ms` is how late requests of a rate were sent.
    `timed_requests` is the number of requests that `mean_latency_ms` is about, None for all.
    Control requests are not among them. `script_shares` is the share of each measured second in
    which the scenario's script worked. It is empty if the script does not set the pace of the load.
    """

    kind: ProfileKind
    parameters: Mapping[str, int]
    service_cpus: int
    load_cpus: int
    backing_cpus: int
    trial_cpus: int
    has_backing_services: bool
    mean_latency_ms: float | None
    warm_up: Steadiness
    late_p99_ms: float | None = None
    timed_requests: int | None = None
    script_shares: Sequence[float] = ()


def judge_trial(seconds: Sequence[Second], conditions: Conditions) -> list[ResultWarning]:
    """Return all warnings about one trial.

    Args:
        seconds: the measured seconds, each once; not empty.
    """
    warnings = [
        warning
        for judge in (_generator, _errors, _littles_law, _state, _throttled, _disturbed, _host)
        if (warning := judge(seconds, conditions)) is not None
    ]
    explained = {
        Verdict.GENERATOR_SATURATED,
        Verdict.RATE_MISSED,
        Verdict.THROTTLED,
        Verdict.HOST_DISTURBED,
    }
    is_explained = any(warning.verdict in explained for warning in warnings)
    idle = None if is_explained else _server_idle(seconds, conditions)
    unchecked = _unchecked(seconds)
    return [*warnings, *([idle] if idle else []), *([unchecked] if unchecked else [])]


def _unchecked(seconds: Sequence[Second]) -> ResultWarning | None:
    """Warn if a check needs CPU times that are unknown in more than half of the seconds."""
    checks = {
        "whether the load generator was at its limit": [s.cpu_load_seconds for s in seconds],
        "whether the service was idle": [s.cpu_service_seconds for s in seconds],
        "whether other programs used the CPUs": [s.cpu_other_seconds for s in seconds],
    }
    missing = [name for name, values in checks.items() if 2 * values.count(None) > len(values)]
    if not missing:
        return None
    return ResultWarning(
        Verdict.PARTLY_CHECKED,
        f"CPU times are missing, so Tacho could not check {join_choices(missing)}.",
    )


def is_full(cpu_cores: float | None, service_cpus: int) -> bool:
    """Return whether a service may have needed more CPU than it had.

    Args:
        cpu_cores: the CPU time of the service in a second; None if it was not measured.
        service_cpus: number of CPUs of the service.
    """
    return cpu_cores is not None and cpu_cores >= _SATURATED_CPU * service_cpus > 0


def judge_cost(
    kind: ProfileKind, cpu_cores: float | None, service_cpus: int
) -> ResultWarning | None:
    """Return a warning if the CPU of a service limited its CPU per request.

    A rate is sent whether or not the service can serve it. A service that uses all its CPU then has
    exactly its CPU time divided by the rate, whatever its requests cost. In a closed load, each
    answer is followed by the next request, so CPU per request is the cost at full use.

    Args:
        cpu_cores: the CPU time of the service in a second; None if it was not measured.
        service_cpus: number of CPUs of the service.
    """
    if kind is not ProfileKind.RATE or cpu_cores is None or not is_full(cpu_cores, service_cpus):
        return None
    return ResultWarning(
        Verdict.SERVICE_SATURATED,
        f"The service used {cpu_cores / service_cpus:.0%} of its CPU at a fixed rate, so its CPU "
        "per request is at least the value shown.",
    )


def list_bounds(verdicts: Iterable[Verdict]) -> set[Metric]:
    """Return the metrics that are only bounds in a result with these verdicts."""
    return {metric for verdict in verdicts for metric in _BOUNDED.get(verdict, ())}


def judge_unsteady_trials(
    details: Sequence[str], trials: int, drifts: Sequence[float]
) -> ResultWarning | None:
    """Return the warning about a result with unsteady trials; None if they may be chance.

    About one steady trial in a hundred is a false alarm, so a fifth of the trials may be unsteady.
    If more are, their drifts decide. A service that is not warm yet changes in one direction in
    each trial, and a machine whose speed varies changes each trial differently. If the 90 %
    interval of the mean drift contains 1, the service has none that matters next to the interval of
    the result, which the same variation widens.

    Args:
        details: of the verdict `never_steady`, one of each unsteady trial.
        trials: the number of all trials that succeeded.
        drifts: `Metric.WINDOW_DRIFT_RATIO` of the trials that have it.

    Returns:
        `never_steady`, or `speed_varied` if the trials have no drift in common.
    """
    if len(details) * ENOUGH_TRIALS <= trials:
        return None
    unsteady = ResultWarning(Verdict.NEVER_STEADY, details[0])
    if len(drifts) < max(trials, ENOUGH_TRIALS):
        return unsteady
    drift = estimate(drifts, Aggregation.GEOMETRIC, confidence=_DRIFT_CONFIDENCE)
    assert drift.low is not None
    assert drift.high is not None
    if not drift.low <= 1 <= drift.high:
        return unsteady
    return ResultWarning(
        Verdict.SPEED_VARIED,
        f"The load changed within {len(details)} of {trials} trials, but in no common direction. "
        f"On average, a request cost {drift.estimate:.2f} times as much at the end of the window "
        f"({drift.low:.2f} to {drift.high:.2f}). A service that is not warm changes in one "
        "direction.",
    )


def find_exclusions(verdicts: Iterable[Verdict], metric: Metric) -> list[Verdict]:
    """Return the verdicts that exclude the values of a metric from ranking and from claims.

    A verdict about the load excludes no metric of the time before it, such as the time of the boot.
    """
    return [verdict for verdict in verdicts if metric in _UNUSABLE.get(verdict, ())]


def judge_cell(trials: int) -> list[ResultWarning]:
    """Return the warnings that only a whole cell can have."""
    if trials >= ENOUGH_TRIALS:
        return []
    return [
        ResultWarning(
            Verdict.TOO_FEW_TRIALS,
            f"Only {trials} of the {ENOUGH_TRIALS} recommended trials: treat the result as a hint.",
        )
    ]


def _share(values: Iterable[float | None], capacity: float) -> float | None:
    """Return the sum of the known values divided by the capacity of the same seconds."""
    known = [value for value in values if value is not None]
    return sum(known) / (len(known) * capacity) if known else None


def _generator(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    """Warn if the load was not sent as planned, or if the generator was at its limit.

    A request is dropped if the service has not answered on any of the connections.
    """
    load = _find_generator_load(seconds, conditions)
    missed, late = _find_missed(seconds, conditions), _describe_late(conditions)
    consequence = missed or late or "The service may be able to do more."
    limit = _describe_limit(load, _find_script_share(conditions), consequence)
    if limit is not None:
        return ResultWarning(Verdict.GENERATOR_SATURATED, limit)
    left = "" if load is None else f" The load generator used only {load:.0%} of its CPU"
    if missed is not None:
        cause = f"{left}, so the service or the host was too slow." if left else ""
        return ResultWarning(Verdict.RATE_MISSED, f"{missed}{cause}")
    return ResultWarning(Verdict.RATE_MISSED, late) if late and load is None else None


def _describe_limit(load: float | None, script: float | None, consequence: str) -> str | None:
    """Return how the generator was at its limit; None if it was not.

    Args:
        load: the share of its CPUs that it used.
        script: the share of the time in which the scenario's script worked.
        consequence: a sentence about what followed.
    """
    is_cpu_full = load is not None and load >= _MAX_LOAD_CPU
    if script is not None and script >= _MAX_LOAD_CPU:
        also = f", and the load generator used {load:.0%} of its CPU" if is_cpu_full else ""
        were = "they were" if also else "it was"
        return (
            f"The scenario's script worked {script:.0%} of the time{also}, so {were} the limit, "
            f"and not the service. {consequence} The script uses one CPU only: lower the load, or "
            "send it from more load hosts."
        )
    if is_cpu_full:
        return f"The load generator used {load:.0%} of its CPU, so it was the limit. {consequence}"
    return None


def _find_generator_load(seconds: Sequence[Second], conditions: Conditions) -> float | None:
    """Return the share of its CPUs that the load generator used; None if it is unknown."""
    used = [second.cpu_load_seconds for second in seconds]
    return _find_busiest(used, conditions, conditions.load_cpus)


def _find_script_share(conditions: Conditions) -> float | None:
    """Return the share of the time in which the scenario's script worked; None if it is unknown."""
    return _find_busiest(conditions.script_shares, conditions, 1)


def _find_busiest(
    values: Sequence[float | None], conditions: Conditions, capacity: float
) -> float | None:
    """Return the share of a capacity that the values of all seconds used; None without values.

    A load in steps ends with the step that decides its result, so its busiest step counts.
    """
    is_in_steps = conditions.kind is ProfileKind.STEPS
    length = conditions.parameters["step_seconds"] if is_in_steps else max(len(values), 1)
    steps = (values[begin : begin + length] for begin in range(0, len(values), length))
    shares = [share for step in steps if (share := _share(step, capacity)) is not None]
    return max(shares, default=None)


def _describe_late(conditions: Conditions) -> str | None:
    """Return how late requests of a rate were sent; None if they were in time."""
    late = conditions.late_p99_ms
    if conditions.kind is not ProfileKind.RATE or late is None or late <= _MAX_LATE_MS:
        return None
    return f"1 % of the requests were sent at least {late:.0f} ms late."


def _find_missed(seconds: Sequence[Second], conditions: Conditions) -> str | None:
    """Return how much of a rate was not sent; None if it was reached."""
    if conditions.kind is not ProfileKind.RATE:
        return None
    requests = sum(second.requests for second in seconds)
    dropped = sum(second.dropped for second in seconds)
    target = conditions.parameters["rate_rps"] * len(seconds)
    least = _MIN_ACHIEVED * target
    if conditions.parameters.get("arrivals"):
        # The number of Poisson arrivals is random, with the standard deviation √target.
        least -= _POISSON_DEVIATIONS * sqrt(target)
    if not dropped and requests >= least:
        return None
    return f"Rate missed: {requests:,} of {target:,} requests were sent, {dropped:,} dropped."


def is_overloaded(seconds: Sequence[Second], kind: ProfileKind) -> bool:
    """Return whether the load may have sent more than the service could answer.

    A load in steps continues until requests fail.
    """
    requests = sum(second.requests for second in seconds)
    failed = sum(second.failed for second in seconds)
    return kind is ProfileKind.STEPS or not requests or failed > _MAX_FAILED * requests


def judge_errors(seconds: Sequence[Second], kind: ProfileKind) -> ResultWarning | None:
    """Return a warning if too many requests failed. In steps, failures are expected."""
    requests = sum(second.requests for second in seconds)
    if not requests:
        return ResultWarning(Verdict.TOO_MANY_ERRORS, "No request got a response.")
    if kind is ProfileKind.STEPS or not is_overloaded(seconds, kind):
        return None
    failed = sum(second.failed for second in seconds)
    errors: Counter[str] = Counter()
    for second in seconds:
        errors.update(second.errors)
    named = ", ".join(f"{count:,} × {name}" for name, count in sorted(errors.items()))
    detail = f"{failed:,} of {requests:,} requests failed" + (f" ({named})." if named else ".")
    return ResultWarning(Verdict.TOO_MANY_ERRORS, detail)


def _errors(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    return judge_errors(seconds, conditions.kind)


def _littles_law(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    timed = conditions.timed_requests
    detail = explain_violation(seconds, conditions.mean_latency_ms, timed)
    return None if detail is None else ResultWarning(Verdict.LITTLES_LAW_VIOLATED, detail)


def _state(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    return judge_state(seconds, conditions.kind, conditions.parameters, conditions.warm_up)


def judge_state(
    seconds: Sequence[Second],
    kind: ProfileKind,
    parameters: Mapping[str, int],
    warm_up: Steadiness,
) -> ResultWarning | None:
    """Return a warning if a trial was not measured in a steady state, or if this was not tested.

    The arguments are those of `judge_steadiness`.
    """
    found = judge_steadiness(seconds, kind, parameters, warm_up)
    if found.is_steady:
        return None
    is_tested = found.is_steady is not None
    verdict = Verdict.NEVER_STEADY if is_tested else Verdict.STEADINESS_NOT_TESTED
    return ResultWarning(verdict, found.detail)


def _throttled(seconds: Sequence[Second], _: Conditions) -> ResultWarning | None:
    """Warn if a CPU quota slowed the service."""
    share = _share((second.throttled_seconds for second in seconds), 1.0)
    if share is None or share <= _MAX_THROTTLED:
        return None
    # The kernel sums the throttled time of all CPUs, so this may exceed the elapsed time.
    return ResultWarning(
        Verdict.THROTTLED,
        f"A CPU quota throttled the service for {share * 1000:.0f} ms of each second.",
    )


def _disturbed(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    """Warn if the host did not let the trial run as planned.

    Heat or a change of frequency slowed the service's CPUs, or requests were sent late. A load at a
    rate is sent when it is due, and never waits for the service. If the generator and its script
    had time left, requests were sent late because the generator did not get its CPU in time.
    """
    words = []
    load, late = _find_generator_load(seconds, conditions), _describe_late(conditions)
    script = _find_script_share(conditions) or 0.0
    if late and load is not None and max(load, script) < _MAX_LOAD_CPU:
        worked = f", and its script worked {script:.0%} of the time" if script else ""
        words.append(f"{late} The load generator used only {load:.0%} of its CPU{worked}.")
    events = sum(second.thermal_throttles or 0 for second in seconds)
    if events:
        words.append(f"The service's CPUs were throttled by heat {events:,} times.")
    clock = [second.cpu_mhz for second in seconds if second.cpu_mhz]
    shift = find_shift(clock, _MIN_FREQUENCY_SHIFT) if len(clock) == len(seconds) else None
    if shift is not None:
        words.append(
            f"The frequency of the service's CPUs changed by {shift.ratio - 1:+.0%} at second "
            f"{shift.second} of the measured window."
        )
    return ResultWarning(Verdict.HOST_DISTURBED, " ".join(words)) if words else None


def _host(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    """Warn if other programs, Tacho's worker or other virtual machines used the trial's CPUs."""
    others, stolen = _taken(seconds, conditions)
    if others + stolen <= MAX_OTHER_CPU:
        return None
    taken = f"; the hypervisor took {stolen:.0%}" if stolen >= 0.005 else ""
    return ResultWarning(
        Verdict.HOST_BUSY,
        f"Other programs used {others:.0%} of the trial's CPUs{taken}.",
    )


def _taken(seconds: Sequence[Second], conditions: Conditions) -> tuple[float, float]:
    """Return the shares of the trial's CPUs used by other programs and by the hypervisor."""
    others = _share((second.cpu_other_seconds for second in seconds), conditions.trial_cpus)
    stolen = _share((second.cpu_steal_seconds for second in seconds), conditions.trial_cpus)
    return others or 0.0, stolen or 0.0


def _server_idle(seconds: Sequence[Second], conditions: Conditions) -> ResultWarning | None:
    """Warn if the service left CPU idle under a closed load without think time."""
    closed = conditions.kind is ProfileKind.SATURATE or conditions.parameters.get("pause_ms") == 0
    if not closed or _waits(conditions) or _saturates_upstream(seconds, conditions):
        return None
    used = _share((second.cpu_service_seconds for second in seconds), 1.0)
    # CPU time used by others was not available to the service.
    free = conditions.service_cpus * (1 - sum(_taken(seconds, conditions)))
    if used is None or used >= min(_MIN_SERVICE_CPU * free, _ONE_THREAD_SECONDS):
        return None
    share = used / conditions.service_cpus
    waiting = ", although it was not waiting for its upstream"
    upstream = waiting if conditions.has_backing_services else ""
    return ResultWarning(
        Verdict.SERVER_IDLE,
        f"The service used only {share:.0%} of its CPU under full load{upstream}. "
        "Something else was the limit.",
    )


def _waits(conditions: Conditions) -> bool:
    """Return whether most of the latency is a delay that the scenario prescribes."""
    delay_ms = conditions.parameters.get(_DELAY)
    latency_ms = conditions.mean_latency_ms
    return bool(delay_ms and latency_ms and delay_ms >= _MIN_DELAY_SHARE * latency_ms)


def _saturates_upstream(seconds: Sequence[Second], conditions: Conditions) -> bool:
    if not conditions.has_backing_services:
        return False
    share = _share((second.cpu_backing_seconds for second in seconds), conditions.backing_cpus)
    return share is not None and share >= _MIN_SERVICE_CPU
