"""The verdict about a change of an own service, as commands write it and Tacho stores it.

A document may come from any command line, so it holds figures and no sentences: the verdict and its
sentences follow from them (report.py).
"""

from collections.abc import Sequence
from enum import StrEnum
from math import exp, log, sqrt
from statistics import fmean
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from backend.core.catalog.own.metrics import GuardMetric, direction_of, is_of_script
from backend.core.catalog.own.service_file import ServiceName
from backend.core.control_characters import escape_control_characters
from backend.core.measurement.statistics.estimate import (
    CONFIDENCE,
    MIN_INTERVAL_TRIALS,
    deviation,
    t_quantile,
)
from backend.core.measurement.statistics.guard import ChangeEvidence, ChangeState
from backend.core.statuses import GuardVerdict
from backend.core.units import Direction, RuntimeKind
from backend.core.validation import NO_CONTROL_CHARACTERS

MOST_DIFFERENCES = 5
# As many as a script reports.
MOST_OF_SCRIPT = 100
# A head breaks a check of a script if it fails it more often than the base by this share of calls,
# and by this number of standard deviations: some checks are about time, and fail by chance.
_BREAKING_SHARE = 0.01
_BREAKING_DEVIATIONS = 3
# A day.
MOST_MINUTES = 1440

_LINE_CHARACTERS = 500

Line = Annotated[str, StringConstraints(max_length=_LINE_CHARACTERS, pattern=NO_CONTROL_CHARACTERS)]
SourceDigest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40,64}$")]
Share = Annotated[float, Field(gt=0, le=1, strict=True)]
Positive = Annotated[float, Field(gt=0, strict=True)]
Count = Annotated[int, Field(ge=0, le=1_000_000, strict=True)]
Calls = Annotated[int, Field(ge=0, le=10**12, strict=True)]


def cut_line(text: str) -> str:
    """Return the beginning of a text as a `Line`: without line breaks and control characters."""
    return escape_control_characters(text)[:_LINE_CHARACTERS]


class GuardPart(BaseModel):
    """Base of every part of the document; unknown keys are errors.

    Lists are read until their first fault (`fail_fast`): items with faults do not count towards
    `max_length`, and 65,000 of them took 400 ms.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ServiceVersion(GuardPart):
    """A version of a service: its name when it was requested, and its commit if it is one.

    `build` is the digest of the built files; None before the build.
    """

    name: Line
    commit: Digest | None = None
    title: Line = ""
    build: Digest | None = None

    @property
    def label(self) -> str:
        """Return how people call the version."""
        return self.commit[:10] if self.commit else self.name


class ResponseDifference(GuardPart):
    """A difference between two responses: where it is, and both values.

    `varies` is true if the base gives different values there to equal requests.
    """

    request: Line
    place: Line
    base: Line
    head: Line
    varies: bool = False

    def describe(self) -> str:
        """Return the difference in a sentence or two."""
        varying = " Two answers of the base differ there, too." if self.varies else ""
        return f"{self.request}: {self.place} was {self.base}, now {self.head}.{varying}"


class Equality(GuardPart):
    """How many responses were compared, how many were equal, and the first differences."""

    compared: Count
    equal: Count
    differences: Annotated[
        tuple[ResponseDifference, ...], Field(max_length=MOST_DIFFERENCES, fail_fast=True)
    ] = ()

    @property
    def is_equal(self) -> bool:
        """Return whether all responses were equal."""
        return self.compared == self.equal

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        if self.equal > self.compared:
            raise ValueError("equal: must be at most the number of compared responses")
        return self


class CheckCalls(GuardPart):
    """How often a check of a script passed and failed in the trials of a version."""

    passes: Calls = 0
    fails: Calls = 0

    @property
    def calls(self) -> int:
        """Return how often the check was called."""
        return self.passes + self.fails


class ComparedCheck(GuardPart):
    """A check of a script in the trials of both versions."""

    name: Line
    base: CheckCalls = CheckCalls()
    head: CheckCalls = CheckCalls()

    @property
    def is_broken(self) -> bool:
        """Return whether the head fails the check clearly more often, or never passes it."""
        if not self.base.passes:
            return False
        if not self.head.passes:
            return True
        base, head = self.base, self.head
        more = head.fails / head.calls - base.fails / base.calls
        share = (head.fails + base.fails) / (head.calls + base.calls)
        deviation = sqrt(share * (1 - share) * (1 / head.calls + 1 / base.calls))
        return more > max(_BREAKING_SHARE, _BREAKING_DEVIATIONS * deviation)

    def describe(self) -> str:
        """Return how often both versions failed the check, in a sentence."""
        base, head = self.base, self.head
        return (
            f"the check {self.name} failed {base.fails:,} of {base.calls:,} times in the base, and "
            f"{head.fails:,} of {head.calls:,} times in the head."
        )


class ComparedThreshold(GuardPart):
    """A threshold of a script, and in how many trials of each version it was kept."""

    metric: Line
    threshold: Line
    base: Count = 0
    head: Count = 0


class ScriptOutcome(GuardPart):
    """The tests of a k6 script in the trials of both versions, which the script itself counts.

    Attributes:
        trials: of each version.
        metrics: those that the script defines.
    """

    trials: Count
    checks: Annotated[
        tuple[ComparedCheck, ...], Field(max_length=MOST_OF_SCRIPT, fail_fast=True)
    ] = ()
    thresholds: Annotated[
        tuple[ComparedThreshold, ...], Field(max_length=MOST_OF_SCRIPT, fail_fast=True)
    ] = ()
    metrics: Annotated[tuple[Line, ...], Field(max_length=MOST_OF_SCRIPT, fail_fast=True)] = ()

    @model_validator(mode="after")
    def _check_thresholds(self) -> Self:
        if any(max(found.base, found.head) > self.trials for found in self.thresholds):
            raise ValueError("thresholds: must be kept in at most as many trials as there are")
        return self

    @property
    def broken(self) -> list[ComparedCheck]:
        """Return the checks that the head breaks."""
        return [check for check in self.checks if check.is_broken]


class SelfComparison(GuardPart):
    """The base compared with itself: the ratio of its trials in successive pairs."""

    ratio: Positive
    low: Positive
    high: Positive

    @classmethod
    def of(cls, values: Sequence[float]) -> Self | None:
        """Compare the values of trials of the base, in the order of time.

        The interval is a t interval at 95 % of the differences of the logs of trials 1 and 2, 3 and
        4, and so on. None with fewer than six trials.
        """
        logs = [log(value) for value in values]
        differences = [second - first for first, second in zip(logs[::2], logs[1::2], strict=False)]
        if len(differences) < MIN_INTERVAL_TRIALS:
            return None
        centre = fmean(differences)
        half = t_quantile(len(differences) - 1, CONFIDENCE) * deviation(differences)
        half /= sqrt(len(differences))
        return cls(ratio=exp(centre), low=exp(centre - half), high=exp(centre + half))


class GuardedMetric(GuardPart):
    """The evidence about a change in one metric.

    Ratios are head divided by base, as measured. An estimate that is not decided is not published:
    `ratio`, `base` and `head` are None then, and the interval is what is still possible.

    Attributes:
        limit: the largest accepted change for the worse, as a share.
        visible: the smallest change that this host shows in the time, as a share.
        less_is_worse: whether less of a metric of a script is worse.
    """

    metric: GuardMetric
    state: ChangeState
    limit: Share
    pairs: Count
    pairs_needed: Count | None = None
    ratio: Positive | None = None
    low: Positive | None = None
    high: Positive | None = None
    base: Positive | None = None
    head: Positive | None = None
    visible: Annotated[float, Field(ge=0, strict=True)] | None = None
    base_against_itself: SelfComparison | None = None
    less_is_worse: bool = False

    @classmethod
    def of(cls, evidence: ChangeEvidence, own: SelfComparison | None) -> Self:
        """Return what may be published of the evidence."""
        is_known = evidence.state is not ChangeState.UNKNOWN
        return cls(
            metric=evidence.metric,
            state=evidence.state,
            limit=evidence.limit,
            pairs=evidence.pairs,
            pairs_needed=evidence.pairs_needed,
            ratio=evidence.ratio if is_known else None,
            low=evidence.low,
            high=evidence.high,
            base=evidence.base if is_known else None,
            head=evidence.head if is_known else None,
            visible=evidence.visible,
            base_against_itself=own,
            less_is_worse=evidence.less_is_worse,
        )

    @model_validator(mode="after")
    def _check_state(self) -> Self:
        if self.less_is_worse and not is_of_script(self.metric):
            raise ValueError(
                f"less_is_worse: {self.metric} is not a metric of a script; leave it out"
            )
        if self.state is ChangeState.UNKNOWN:
            return self
        if None in {self.ratio, self.low, self.high, self.base, self.head}:
            raise ValueError(f"state: {self.state.value} needs ratio, low, high, base and head")
        assert self.ratio is not None
        direction = direction_of(self.metric, less_is_worse=self.less_is_worse)
        is_more_worse = direction is Direction.LOWER
        is_worse = (self.ratio > 1) == is_more_worse
        if self.state is ChangeState.WORSE and not is_worse:
            raise ValueError("state: is worse, but the ratio is a change for the better")
        if self.state is ChangeState.BETTER and is_worse:
            raise ValueError("state: is better, but the ratio is a change for the worse")
        return self


class GuardedLoad(GuardPart):
    """The evidence about a change under one load.

    Attributes:
        engine: the sender of the load, such as `Tacho's sender`.
        responses: None if they cannot be compared, because a script sends the load.
        script: what that script tested itself; None before the first pair.
        pairs: number of pairs of trials.
        changes: one entry for each metric; empty before the first pair, and if the head breaks a
            check of the script.
    """

    load: Line
    engine: Line
    responses: Equality | None = None
    script: ScriptOutcome | None = None
    pairs: Count = 0
    changes: Annotated[tuple[GuardedMetric, ...], Field(max_length=40, fail_fast=True)] = ()

    @property
    def has_equal_answers(self) -> bool:
        """Return whether no difference between the answers of both versions is known."""
        if self.script is not None and self.script.broken:
            return False
        return self.responses is None or self.responses.is_equal


class HistoryPart(StrEnum):
    """The part of a guard in the history of a service.

    POINT: compares a commit with the reference of the history. CONFIRMATION: compares it with the
    commit that was measured before.
    """

    POINT = "point"
    CONFIRMATION = "confirmation"


class GuardReport(GuardPart):
    """The evidence about a change of a service.

    Attributes:
        minutes: how long the trials took.
        most_minutes: the limit.
        warnings: about the host and the load.
        command: repeats the guard.
        history: its part in the history of the service; None if it has none.
    """

    service: ServiceName
    base: ServiceVersion
    head: ServiceVersion
    loads: Annotated[tuple[GuardedLoad, ...], Field(min_length=1, max_length=20, fail_fast=True)]
    host: Line
    runtime: RuntimeKind
    minutes: Annotated[float, Field(ge=0, le=100_000, strict=True)] = 0.0
    most_minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES, strict=True)]
    warnings: Annotated[tuple[Line, ...], Field(max_length=100, fail_fast=True)] = ()
    command: Line = ""
    history: HistoryPart | None = None

    @property
    def verdict(self) -> GuardVerdict:
        """Return the verdict: the most serious state of any metric under any load."""
        if not all(load.has_equal_answers for load in self.loads):
            return GuardVerdict.RESPONSES_DIFFER
        states = {change.state for load in self.loads for change in load.changes}
        if ChangeState.WORSE in states:
            return GuardVerdict.SLOWER
        if ChangeState.UNKNOWN in states or not all(load.changes for load in self.loads):
            return GuardVerdict.UNKNOWN
        if ChangeState.BETTER in states:
            return GuardVerdict.FASTER
        return GuardVerdict.NO_DIFFERENCE


class GuardOptions(GuardPart):
    """How a guard compares two versions.

    Attributes:
        change: the command that made the head from the base; None without one.
        loads: names of the loads; None for all loads of `tacho.toml`.
        minutes: the limit for the trials; None for that of `tacho.toml`.
        seed: of the order of the trials.
        on: the bench host of `tacho guard --on`; None for the machine of the command.
        history: its part in the history of the service; None if it has none.
    """

    change: Line | None = None
    loads: Annotated[tuple[Line, ...], Field(max_length=20, fail_fast=True)] | None = None
    minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES, strict=True)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63, strict=True)]
    on: Line | None = None
    history: HistoryPart | None = None


class GuardOrder(GuardOptions):
    """A guard for a bench host to run.

    Attributes:
        base_source, head_source: SHA-256 of the archives with their files.
    """

    service: ServiceName
    base: ServiceVersion
    head: ServiceVersion
    base_source: SourceDigest
    head_source: SourceDigest
