"""The finished comparisons of `make bench-guard`, and what follows from them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Any

from backend.core.statuses import GuardVerdict
from backend.core.units import Metric
from tools.benchmarks.guard_simulation import Noise
from tools.benchmarks.guarded_examples import PlantedCost


class ComparisonKind(StrEnum):
    """The kinds of comparisons: equal versions, and a head with a cost."""

    SAME = "same"
    PLANTED = "planted"


class Outcome(StrEnum):
    """Whether the verdict of a comparison is right."""

    RIGHT = "right"
    FALSE_ALARM = "false alarm"
    FOUND = "found"
    UNKNOWN = "unknown"
    WRONG = "wrong"
    FAILED = "failed"


@dataclass(frozen=True)
class GuardRecord:
    """A finished comparison.

    Attributes:
        most_minutes: the limit for the trials.
        seconds: duration of the whole command, with builds and checks.
        document: what `tacho guard --json` printed; None if it failed.
        error: the end of its messages if it failed.
        pairs: values of each pair of trials, by version and metric.
    """

    service: str
    kind: ComparisonKind
    number: int
    cost: PlantedCost
    most_minutes: int
    seconds: float
    document: Mapping[str, Any] | None
    error: str = ""
    pairs: Sequence[Mapping[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "GuardRecord":
        """Return the comparison of a file."""
        stored = json.loads(path.read_text(encoding="utf-8"))
        given = {"kind": ComparisonKind(stored["kind"]), "cost": PlantedCost(**stored["cost"])}
        return cls(**{**stored, **given})

    def write(self, folder: Path) -> None:
        """Write the comparison; an interruption leaves the old file or the new one."""
        path = folder / name_record(self.service, self.kind, self.number)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        part.replace(path)

    @property
    def verdict(self) -> str:
        """Return the verdict; `failed` without one."""
        return "failed" if self.document is None else str(self.document["verdict"])

    @property
    def outcome(self) -> Outcome:
        """Return whether the verdict is right."""
        if self.verdict in {"failed", GuardVerdict.RESPONSES_DIFFER}:
            return Outcome.FAILED
        if self.verdict == GuardVerdict.UNKNOWN:
            return Outcome.UNKNOWN
        if self.kind is ComparisonKind.PLANTED:
            return Outcome.FOUND if self.verdict == GuardVerdict.SLOWER else Outcome.WRONG
        if self.verdict == GuardVerdict.SLOWER:
            return Outcome.FALSE_ALARM
        return Outcome.WRONG if self.verdict == GuardVerdict.FASTER else Outcome.RIGHT

    @property
    def minutes(self) -> float:
        """Return how long the trials took."""
        return 0.0 if self.document is None else float(self.document["minutes"])


def name_record(service: str, kind: ComparisonKind, number: int) -> str:
    """Return the name of the file of a comparison."""
    return f"{service}-{kind}-{number}.json"


def find_cpu_us(record: GuardRecord) -> float | None:
    """Return the CPU time per request (µs) of both versions; None if no pair was measured."""
    values = [
        pair[version][Metric.CPU_US_PER_REQUEST]
        for pair in record.pairs
        for version in ("base", "head")
    ]
    return exp(fmean(map(log, values))) if values else None


def find_noise(records: Sequence[GuardRecord], service: str) -> Noise:
    """Return the differences of the logs of head and base in all pairs of equal versions."""
    noise: dict[Metric, list[float]] = {}
    for record in records:
        if record.service != service or record.kind is ComparisonKind.PLANTED:
            continue
        for pair in record.pairs:
            for name in pair["base"].keys() & pair["head"].keys():
                difference = log(pair["head"][name] / pair["base"][name])
                noise.setdefault(Metric(name), []).append(difference)
    return noise


def count_outcomes(records: Sequence[GuardRecord]) -> dict[str, float | None]:
    """Return the figures of the real comparisons."""
    planted = [record for record in records if record.kind is ComparisonKind.PLANTED]

    def count(outcome: Outcome) -> int:
        return sum(record.outcome is outcome for record in records)

    found, unknown = count(Outcome.FOUND), count(Outcome.UNKNOWN)
    return {
        "same": len(records) - len(planted),
        "false_alarms": count(Outcome.FALSE_ALARM),
        "planted": len(planted),
        "found": found,
        "unknown": unknown,
        "wrong": count(Outcome.WRONG),
        "failed": count(Outcome.FAILED),
        "share_found": round(found / len(planted), 3) if planted else None,
        "share_unknown": round(unknown / len(records), 3) if records else None,
    }
