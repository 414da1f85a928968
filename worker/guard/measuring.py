"""Measures two versions of a service in turn, until every change is decided or the time is over."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.own.metrics import is_of_script, title_of
from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.profiles import Profile, find_profile
from backend.core.errors import TachoError
from backend.core.measurement.measurements.steadiness import MIN_CAP_SECONDS, span_seconds
from backend.core.measurement.measurements.verdicts import EXCLUDING, UNSTEADY, ResultWarning
from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.guard import ChangeEvidence, ChangeState, judge_change
from backend.core.numbers import join_words
from backend.core.runs.progress import OVERHEAD_SECONDS
from backend.core.runs.status import REPEATED_CAUSES
from backend.core.units import ProfileKind, Verdict
from worker.bench.bench import Bench
from worker.guard.script import ScriptTally, list_own_metrics
from worker.loadgen.parse import ScriptReport
from worker.stages.assignment import make_assignment
from worker.stages.context import TrialContext
from worker.stages.display import StageDisplay
from worker.stages.evaluation import evaluate
from worker.stages.runner import run_stages
from worker.stages.turns import Turn, Turns
from worker.stages.watch import TrialStopped, Watch

# A trial is repeated once if the load generator or the machine made it fail.
_ATTEMPTS = 2
_VERSIONS = ("base", "head")
# With such a warning, a trial does not show how the service serves the load. An own service may
# wait for others, so it may be idle under any load.
_UNUSABLE = EXCLUDING - UNSTEADY - {Verdict.SERVER_IDLE}


class TrialValues(NamedTuple):
    """The metrics of a trial by name, its warnings, and what its k6 script tested itself."""

    metrics: Mapping[str, float]
    warnings: Sequence[ResultWarning]
    script: ScriptReport | None = None


class NotMeasurable(TachoError):
    """A version cannot be measured under a load; the detail names both, and the reason."""

    code = "not_measurable"
    title = "Not measurable"


@dataclass
class PairedLoad:
    """A load, and the values of the pairs of trials so far.

    Attributes:
        limits: the largest accepted change for the worse by metric, as a share.
        must_measure: whether a metric without a value ends the guard.
        less_is_worse: metrics of the script.
        base, head: values of each complete pair, by metric.
        script: what the script of the load tested itself; empty without a script.
        unmeasured: metrics that had no value in a trial.
        warnings: their texts by verdict, one for each trial that has it.
    """

    name: str
    scenario: ScenarioManifest
    profile: Profile
    limits: Mapping[str, float]
    must_measure: bool = False
    less_is_worse: frozenset[str] = frozenset()
    unmeasured: set[str] = field(default_factory=set)
    base: dict[str, list[float]] = field(default_factory=dict)
    head: dict[str, list[float]] = field(default_factory=dict)
    script: ScriptTally = field(default_factory=ScriptTally)
    warnings: dict[Verdict, list[str]] = field(default_factory=dict)

    @property
    def takes_turns(self) -> bool:
        """Return whether the load sends to both versions in turns of a second."""
        return self.profile.kind is ProfileKind.RATE

    @property
    def pairs(self) -> int:
        """Return the number of complete pairs."""
        return max((len(values) for values in self.base.values()), default=0)

    @property
    def is_broken(self) -> bool:
        """Return whether the head breaks a check of the script, so that nothing is to be judged."""
        return bool(self.script.summarise().broken)

    def add(self, base: Mapping[str, float], head: Mapping[str, float]) -> None:
        """Add a pair. A metric that one of the trials has no positive value of is left out."""
        for metric in self.limits:
            first, second = base.get(metric), head.get(metric)
            if first and second and first > 0 and second > 0:
                self.base.setdefault(metric, []).append(first)
                self.head.setdefault(metric, []).append(second)
            else:
                self.unmeasured.add(metric)

    def judge(self, metrics: int, most_pairs: int) -> list[ChangeEvidence]:
        """Return what the pairs show about each metric."""
        return [
            judge_change(
                metric,
                self.base[metric],
                self.head[metric],
                limit,
                metrics=metrics,
                most_pairs=most_pairs,
                less_is_worse=metric in self.less_is_worse,
            )
            for metric, limit in self.limits.items()
            if self.base.get(metric)
        ]


@dataclass(frozen=True)
class VersionPair:
    """The two versions that are compared."""

    base: OwnCatalogue
    head: OwnCatalogue


class Pairing:
    """Measures pairs of trials of two versions, in random order within each pair.

    Loads at a rate take turns of a second: both versions run, and meet the same changes of the
    machine's speed. Under another load the versions run one after the other: a version that is
    saturated would put off work into the turns of the other, and a k6 script decides when it sends.
    """

    def __init__(self, bench: Bench, versions: VersionPair, seed: int) -> None:
        """Measure nothing yet.

        Args:
            seed: of the order within each pair.
        """
        self._bench = bench
        self._versions = versions
        self._random = random.Random(seed)  # noqa: S311  a reproducible order, not a secret

    def make_load(self, name: str) -> PairedLoad:
        """Return a load of the head without pairs."""
        scenario, _ = self._versions.head.get_scenario(name)
        profile = find_profile(scenario, None)
        assert profile is not None
        table = self._versions.head.loads.loads[name]
        # A limit that a team has set must be tested. A default may not be measurable here.
        return PairedLoad(
            name,
            scenario,
            profile,
            table.limits,
            must_measure=bool(table.worse),
            less_is_worse=table.less_is_worse,
        )

    def measure(
        self, load: PairedLoad, pair: int, on_trial: Callable[[str, str, int], None]
    ) -> None:
        """Measure a pair and add it to its load.

        Args:
            on_trial: called with the load, the version (base or head) and the number of the pair
                before each trial, or with `base and head` before both.

        Raises:
            NotMeasurable: a version fails, or does not serve the load.
        """
        order = list(_VERSIONS)
        self._random.shuffle(order)
        if load.takes_turns:
            on_trial(load.name, "base and head", pair)
            values = self._measure(load, order)
        else:
            values = {}
            for version in order:
                on_trial(load.name, version, pair)
                values |= self._measure(load, [version])
        load.add(values["base"], values["head"])
        if load.must_measure and load.unmeasured:
            raise NotMeasurable(_explain_unmeasured(load))

    def _measure(self, load: PairedLoad, versions: Sequence[str]) -> dict[str, Mapping[str, float]]:
        """Measure versions, both at the same time if there are two; repeat them once if needed."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                found = self._run_trials(load, versions)
            except _TrialFailed as failed:
                error = failed.error
                if error.cause in REPEATED_CAUSES and attempt < _ATTEMPTS:
                    continue
                raise _refuse(load, failed.version, f"{error.title}: {error.detail}") from error
            for version, measured in found.items():
                for warning in measured.warnings:
                    if warning.verdict in _UNUSABLE:
                        raise _refuse(load, version, warning.detail)
                    load.warnings.setdefault(warning.verdict, []).append(warning.detail)
                if measured.script is not None:
                    load.script.add(version, measured.script)
            return {version: measured.metrics for version, measured in found.items()}
        raise AssertionError

    def _run_trials(self, load: PairedLoad, versions: Sequence[str]) -> dict[str, TrialValues]:
        """Run a trial of each version. Raises _TrialFailed."""
        turns = Turns()
        with ThreadPoolExecutor(len(versions)) as pool:
            running: dict[str, Future[TrialValues]] = {}
            for index, version in enumerate(versions):
                turn = Turn(turns, index) if len(versions) > 1 else None
                running[version] = pool.submit(self._run_trial, load, version, turns, turn)
            try:
                wait(running.values())
            except BaseException:
                turns.fail()
                raise
        _raise_failure({version: future.exception() for version, future in running.items()})
        return {version: future.result() for version, future in running.items()}

    def _run_trial(
        self, load: PairedLoad, version: str, turns: Turns, turn: Turn | None
    ) -> TrialValues:
        catalogue = self._versions.base if version == "base" else self._versions.head
        bench = replace(self._bench, own_catalogue=catalogue)
        assignment = make_assignment(catalogue.slug, load.scenario.slug, load.profile, {})
        with (
            turn or nullcontext(),
            Watch(assignment.trial_id, is_stopping=turns.has_failed.is_set) as watch,
        ):
            display = StageDisplay(lambda _stage: None)
            context = TrialContext(bench, assignment, display, watch, turn=turn)
            found = run_stages(context, lambda context, _pod, outputs: evaluate(context, outputs))
        values = {metric.value: value for metric, value in found.metrics.items()}
        values |= list_own_metrics(found.script)
        return TrialValues(values, found.warnings, found.script)


class GuardMeasurement:
    """Interleaved pairs of trials of two versions under all loads of a guard."""

    def __init__(
        self, bench: Bench, versions: VersionPair, loads: Sequence[str], minutes: float, seed: int
    ) -> None:
        """Plan the pairs. Nothing runs yet.

        Args:
            loads: names of the loads.
            minutes: the limit for all pairs together.
            seed: of the order within each pair.
        """
        self._pairing = Pairing(bench, versions, seed)
        self._limit_s = minutes * 60
        self.loads = [self._pairing.make_load(name) for name in loads]
        self._metrics = sum(len(load.limits) for load in self.loads)
        self.most_pairs = self._plan_pairs()
        self.elapsed_s = 0.0

    def _plan_pairs(self) -> int:
        """Return the largest number of pairs per load that the time allows, at least three."""
        seconds = sum(2 * expect_seconds(load.profile) for load in self.loads)
        return max(FIRST_LOOK, int(self._limit_s / seconds))

    def judge(self) -> dict[str, list[ChangeEvidence]]:
        """Return what is known about each load."""
        return {load.name: load.judge(self._metrics, self.most_pairs) for load in self.loads}

    def run(self, on_trial: Callable[[str, str, int], None]) -> None:
        """Measure pairs until every change is decided, or the time is over.

        Args:
            on_trial: called with the load, the version (base or head) and the number of the pair
                before each trial.

        Raises:
            NotMeasurable: a version fails, or does not serve the load.
        """
        started = time.monotonic()
        for pair in range(1, self.most_pairs + 1):
            for load in self._list_open():
                if not self._has_time(load):
                    return
                self._pairing.measure(load, pair, on_trial)
                self.elapsed_s = time.monotonic() - started
                if load.is_broken:
                    return
            if not self._list_open():
                return

    def _list_open(self) -> list[PairedLoad]:
        """Return the loads with a change that is not decided."""
        known = self.judge()
        return [
            load
            for load in self.loads
            if not known[load.name]
            or any(change.state is ChangeState.UNKNOWN for change in known[load.name])
        ]

    def _has_time(self, load: PairedLoad) -> bool:
        pairs = sum(other.pairs for other in self.loads)
        expected = 2 * expect_seconds(load.profile)
        mean = self.elapsed_s / pairs if pairs else expected
        return self.elapsed_s + mean <= self._limit_s or pairs == 0


class _TrialFailed(Exception):
    """A trial has failed with `error`."""

    def __init__(self, version: str, error: TachoError) -> None:
        super().__init__(version)
        self.version = version
        self.error = error


def _raise_failure(errors: Mapping[str, BaseException | None]) -> None:
    """Raise the failure that ended the trials; the other trial was only stopped."""
    failed = {version: error for version, error in errors.items() if error is not None}
    own = {
        version: error for version, error in failed.items() if not isinstance(error, TrialStopped)
    }
    for version, error in (own or failed).items():
        if isinstance(error, TachoError):
            raise _TrialFailed(version, error) from error
        raise error


def _refuse(load: PairedLoad, version: str, reason: str) -> NotMeasurable:
    return NotMeasurable(f"The {version} cannot be measured under the load {load.name}: {reason}")


def _explain_unmeasured(load: PairedLoad) -> str:
    titles = join_words([title_of(metric) for metric in sorted(load.unmeasured)])
    own = load.script.summarise().metrics
    known = f" The script defines {join_words(own)}." if own else " The script defines no metrics."
    return (
        f"The load {load.name} gives no value of {titles} on this machine."
        f"{known if any(map(is_of_script, load.unmeasured)) else ''} Remove it from "
        f"[loads.{load.name}.worse] in tacho.toml, or use a load that has it."
    )


def expect_seconds(profile: Profile) -> float:
    """Return how long a trial usually takes: a steady service ends its warm-up before the limit."""
    values = profile.defaults
    warm_up = values["warm_up_seconds"]
    if warm_up >= MIN_CAP_SECONDS:
        warm_up = span_seconds(warm_up)
    pauses = (values.get("steps", 1) - 1) * values.get("drain_seconds", 0)
    window = values.get("duration_seconds") or values["steps"] * values["step_seconds"]
    return float(warm_up + window + pauses + OVERHEAD_SECONDS)
