"""Runs a guard on this machine: checks, compares and measures two versions of a service.

`tacho guard` calls it where the command runs, and a bench host for `tacho guard --on`.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from backend.core.catalog.own.metrics import title_of
from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import ServiceFile
from backend.core.errors import ManifestInvalid, TachoError
from backend.core.numbers import count_of
from backend.core.results.guard.document import (
    Equality,
    GuardedLoad,
    GuardedMetric,
    GuardOptions,
    GuardReport,
    SelfComparison,
    ServiceVersion,
    cut_line,
)
from backend.core.results.guard.responses import Response, compare_responses, mark_varying
from backend.core.statuses import GuardVerdict
from worker.bench.bench import Bench
from worker.guard.checks import GuardDisplay, check_loads, explain_failure, make_catalogue
from worker.guard.measuring import GuardMeasurement, PairedLoad, VersionPair
from worker.guard.versions import LoadCheck

BaseAndHead = tuple[ServiceVersion, ServiceVersion]
_ENGINE = "Tacho's sender"
_SCRIPT_ENGINE = "k6"


class Guard:
    """A guard on this machine."""

    def __init__(
        self,
        bench: Bench,
        file: ServiceFile,
        loads: Sequence[str],
        options: GuardOptions,
        display: GuardDisplay,
        namespace: str = "",
    ) -> None:
        """Check nothing yet.

        Args:
            file: the `tacho.toml` of the head.
            namespace: see `OwnCatalogue`.
        """
        self._bench = bench
        self._file = file
        self._loads = loads
        self._options = options
        self._minutes = options.minutes or file.guard.minutes
        self._display = display
        self._namespace = namespace

    def run(
        self,
        versions: BaseAndHead,
        sources: tuple[Path, Path],
        scratch: Path,
    ) -> GuardReport:
        """Check, compare and measure both versions.

        Raises:
            NotMeasurable, TachoError: a version fails.
        """
        base, head = (
            self._open(source, what, sources[1], scratch)
            for source, what in zip(sources, ("base", "head"), strict=True)
        )
        checks = [
            self._check(catalogue, f"{what} {version.label}", self._loads)
            for catalogue, version, what in zip(
                (base, head), versions, ("base", "head"), strict=True
            )
        ]
        report = self._begin_report(versions, checks, base)
        if report.verdict is GuardVerdict.RESPONSES_DIFFER:
            return report
        measurement = GuardMeasurement(
            self._bench, VersionPair(base, head), self._loads, self._minutes, self._options.seed
        )
        self._measure(measurement)
        return self._finish(report, measurement)

    def _open(self, source: Path, what: str, load_source: Path, scratch: Path) -> OwnCatalogue:
        try:
            catalogue = make_catalogue(
                self._bench, source, self._file, load_source, scratch / f"loads-{what}"
            )
            return replace(catalogue, namespace=self._namespace)
        except ManifestInvalid as error:
            raise ManifestInvalid(f"The {what} cannot be built: {error.detail}") from error

    def _check(
        self, catalogue: OwnCatalogue, what: str, loads: Sequence[str]
    ) -> dict[str, LoadCheck]:
        checks = check_loads(self._bench, catalogue, loads, what, self._display)
        for name, check in checks.items():
            if not check.outcome.has_passed:
                reason = explain_failure(check, name, catalogue, self._bench)
                raise TachoError(f"The {what} fails. {reason}")
        return checks

    def _begin_report(
        self,
        versions: BaseAndHead,
        checks: Sequence[Mapping[str, LoadCheck]],
        base: OwnCatalogue,
    ) -> GuardReport:
        """Return the report before the trials, with the responses compared."""
        digests = [next(iter(found.values())).digest for found in checks]
        warnings = []
        if digests[0] == digests[1]:
            warnings.append(
                "Base and head have the same files, so this compares a build with itself."
            )
        loads = []
        for name in self._loads:
            first, second = (found[name].responses for found in checks)
            responses = None
            if first is not None and second is not None:
                responses = self._compare(first, second)
                if not responses.is_equal:
                    again = self._check(base, "base again", [name])[name].responses or ()
                    responses = mark_varying(responses, self._compare(first, again))
            loads.append(
                GuardedLoad(load=name, engine=self._name_engine(name), responses=responses)
            )
        return GuardReport(
            service=self._file.service.name,
            base=versions[0].model_copy(update={"build": digests[0]}),
            head=versions[1].model_copy(update={"build": digests[1]}),
            loads=tuple(loads),
            host=self._bench.name,
            runtime=self._bench.runtime.kind,
            most_minutes=self._minutes,
            warnings=tuple(warnings),
            command=cut_line(self._write_command(versions)),
            history=self._options.history,
        )

    def _compare(self, first: Sequence[Response], second: Sequence[Response]) -> Equality:
        rules = self._file.guard
        return compare_responses(first, second, rules.headers, rules.ignore)

    def _measure(self, measurement: GuardMeasurement) -> None:
        def show(load: str, version: str, pair: int) -> None:
            minutes = measurement.elapsed_s / 60
            self._display.show(
                f"{load}: pair {pair} of at most {measurement.most_pairs}, {version}; "
                f"{minutes:.0f} of at most {self._minutes} min",
                is_logged=True,
            )

        measurement.run(show)

    def _finish(self, report: GuardReport, measurement: GuardMeasurement) -> GuardReport:
        known = measurement.judge()
        scripts = [paired.script.summarise() for paired in measurement.loads]
        is_broken = any(script.broken for script in scripts)
        loads = tuple(
            load.model_copy(
                update={
                    "pairs": paired.pairs,
                    "script": script if script.trials else None,
                    # A head that fails may be faster because of it.
                    "changes": ()
                    if is_broken
                    else tuple(
                        GuardedMetric.of(change, _compare_base(paired, change.metric))
                        for change in known[load.load]
                    ),
                }
            )
            for load, paired, script in zip(report.loads, measurement.loads, scripts, strict=True)
        )
        warnings = [
            cut_line(f"{load.name}, {count_of(len(details), 'trial')}: {details[0]}")
            for load in measurement.loads
            for details in load.warnings.values()
        ]
        warnings += [
            f"{load.name}: {title_of(metric)} is not measured on this machine."
            for load in measurement.loads
            for metric in sorted(load.unmeasured - load.base.keys())
        ]
        return report.model_copy(
            update={
                "loads": loads,
                "minutes": measurement.elapsed_s / 60,
                "warnings": (*report.warnings, *warnings),
            }
        )

    def _name_engine(self, load: str) -> str:
        return _ENGINE if self._file.loads[load].http is not None else _SCRIPT_ENGINE

    def _write_command(self, versions: BaseAndHead) -> str:
        options, words = self._options, ["tacho", "guard"]
        if options.on is not None:
            words += ["--on", options.on]
        if versions[0].commit is not None:
            words += ["--base", versions[0].commit[:10]]
        if options.change is not None:
            words += ["--change", options.change]
        elif versions[1].commit is not None:
            words += ["--head", versions[1].commit[:10]]
        for name in options.loads or []:
            words += ["--load", name]
        if options.minutes is not None:
            words += ["--minutes", str(options.minutes)]
        return shlex.join([*words, "--seed", str(options.seed)])


def _compare_base(load: PairedLoad, metric: str) -> SelfComparison | None:
    """Return the base compared with itself.

    None for a load in turns: trials of the base in different pairs contain the drift of the
    machine, which the ratio of head and base does not.
    """
    return None if load.takes_turns else SelfComparison.of(load.base[metric])
