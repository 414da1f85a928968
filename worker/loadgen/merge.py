"""Merge the lines of several load generators that send parts of the same load."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from functools import reduce

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.second import LoadCounts
from worker.loadgen.parse import EndLine, LoadChecks, SecondLine

_HISTOGRAMS = ("latency", "latency_failed", "service_time", "lateness", "first_byte")


class LineMerger:
    """Merges the lines of several load generators into those of one load, without loss.

    A second comes out once every load generator has reported it, as one line. Further lines for it
    come out as they arrive. The end comes out once every load generator has ended.
    """

    def __init__(self, generators: int) -> None:
        """Prepare for the lines of this number of load generators, which count from 0."""
        self._generators = generators
        self._waiting: dict[int, dict[int, list[SecondLine]]] = {}
        self._complete: set[int] = set()
        self._ends: dict[int, EndLine] = {}

    def add_second(self, generator: int, line: SecondLine) -> SecondLine | None:
        """Take a line of a second; return the line that it completes, or None."""
        if line.second in self._complete:
            return line
        reported = self._waiting.setdefault(line.second, {})
        reported.setdefault(generator, []).append(line)
        if len(reported) < self._generators:
            return None
        self._complete.add(line.second)
        del self._waiting[line.second]
        return merge_seconds([line for lines in reported.values() for line in lines])

    def add_end(self, generator: int, line: EndLine) -> EndLine | None:
        """Take the end of a load generator; return the end of the whole load, or None."""
        self._ends[generator] = line
        if len(self._ends) < self._generators:
            return None
        return merge_ends(list(self._ends.values()))


def merge_seconds(lines: Sequence[SecondLine]) -> SecondLine:
    """Return the sum of lines of the same second from different load generators.

    Counts add up, connections too. Maxima stay maxima, and histograms merge. The script is that of
    the load generator whose script worked most: each sends its part of the load at its own pace.
    """
    counts = reduce(LoadCounts.add, lines, LoadCounts.none())
    summed = {field.name: getattr(counts, field.name) for field in fields(LoadCounts)}
    merged = {
        name: _merge_histograms(getattr(line, name) for line in lines) for name in _HISTOGRAMS
    }
    return SecondLine(
        **summed | merged | {"vus": sum(line.vus for line in lines)},
        second=lines[0].second,
        latency_sum_ns=sum(line.latency_sum_ns for line in lines),
        latency_max_ns=max(line.latency_max_ns for line in lines),
        script_share=max(
            (line.script_share for line in lines if line.script_share is not None), default=None
        ),
    )


def merge_ends(lines: Sequence[EndLine]) -> EndLine:
    """Return the sum of the ends of all load generators.

    It has no summary of k6, because percentiles of parts have no sum.
    """
    return EndLine(
        requests=sum(line.requests for line in lines),
        dropped=sum(line.dropped for line in lines),
        interrupted=sum(line.interrupted for line in lines),
        checks=_merge_checks([line.checks for line in lines]),
    )


def _merge_checks(checks: Sequence[LoadChecks]) -> LoadChecks:
    counts = [field.name for field in fields(LoadChecks) if field.name != "first_wrong"]
    summed = {name: sum(getattr(own, name) for own in checks) for name in counts}
    wrong = [own.first_wrong for own in checks if own.first_wrong is not None]
    return replace(LoadChecks(**summed), first_wrong=wrong[0] if wrong else None)


def _merge_histograms(encoded: Iterable[bytes]) -> bytes:
    present = [histogram for histogram in encoded if histogram]
    if len(present) <= 1:
        return present[0] if present else b""
    return Histogram.merge_all(map(Histogram.from_varints, present)).to_varints()
