"""Checks that the versions of an own service build, start and answer, and explains failures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import (
    FILE_NAME,
    ServiceFile,
    find_line,
    parse_service_file,
)
from backend.core.errors import ManifestInvalid, NotFound
from backend.core.numbers import join_words
from backend.core.units import RuntimeKind
from worker.bench.bench import Bench
from worker.guard.script import describe_script
from worker.guard.versions import LoadCheck, check_load

_LOG_LINES = 20
# The table of tacho.toml that decides about a stage.
_PLACES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "building": (["process", "build"], ["docker", "dockerfile"]),
    "starting": (["process", "run"], ["service", "ready"]),
}


class GuardDisplay(Protocol):
    """Shows how far a guard is."""

    def show(self, doing: str, *, is_logged: bool = False) -> None:
        """Show what happens now. A log has only lines with `is_logged`."""
        ...

    def note(self, line: str) -> None:
        """Show that something has passed."""
        ...


def make_catalogue(
    bench: Bench, source: Path, loads: ServiceFile, load_source: Path, scripts: Path
) -> OwnCatalogue:
    """Return the catalogue of a version, with the loads of another or of the same version.

    A version without a `tacho.toml` is built and started as the other version is.
    """
    own = source / FILE_NAME
    service = parse_service_file(own) if own.is_file() else loads
    _check_recipe(bench.runtime.kind, service, source)
    return OwnCatalogue(bench.services_dir, service, source, loads, load_source, scripts)


def _check_recipe(runtime: RuntimeKind, service: ServiceFile, source: Path) -> None:
    """Raise ManifestInvalid if a service cannot be built in a runtime."""
    other = RuntimeKind.DOCKER if runtime is RuntimeKind.PROCESS else RuntimeKind.PROCESS
    path = source / FILE_NAME
    recipe = service.docker if runtime is RuntimeKind.DOCKER else service.process
    if recipe is None:
        raise ManifestInvalid(
            f"{FILE_NAME} has no table [{runtime}]. Add it, or use --runtime {other}."
        )
    if runtime is RuntimeKind.DOCKER and service.docker and not service.docker.image:
        name = service.docker.dockerfile
        if not (source / name).is_file():
            line = find_line(path.read_text(encoding="utf-8"), ["docker", "dockerfile"])
            raise ManifestInvalid(
                f"{FILE_NAME}:{line}: docker.dockerfile: {name} does not exist. Name the right "
                f"file, or use --runtime {other}."
            )


def select_loads(file: ServiceFile, wanted: Sequence[str] | None) -> list[str]:
    """Return the names of the loads to send; raise NotFound for an unknown name."""
    for name in wanted or []:
        if name not in file.loads:
            known = join_words(list(file.loads))
            raise NotFound(f"--load {name}: {FILE_NAME} has no such load; it has {known}.")
    return list(dict.fromkeys(wanted or file.loads))


def check_loads(
    bench: Bench, catalogue: OwnCatalogue, loads: Sequence[str], what: str, display: GuardDisplay
) -> dict[str, LoadCheck]:
    """Check a version under each load, and show what happens. Stops at the first failure."""
    checks = {}
    own = replace(bench, own_catalogue=catalogue)
    for load in loads:

        def show(stage: str, name: str = load) -> None:
            display.show(f"{what}, {name}: {stage.replace('_', ' ')}")

        show("building")
        checks[load] = check_load(own, catalogue, load, show)
        outcome = checks[load].outcome
        if not outcome.has_passed:
            break
        p50 = "" if outcome.latency_p50_ms is None else f", p50 {outcome.latency_p50_ms:.1f} ms"
        tested = "" if outcome.script is None else describe_script(outcome.script)
        display.note(
            f"{what}, {load}: ready after {outcome.boot_ms or 0:.0f} ms, "
            f"{outcome.requests} requests{p50}{tested}"
        )
    return checks


def explain_failure(check: LoadCheck, load: str, catalogue: OwnCatalogue, bench: Bench) -> str:
    """Return what failed, the line of `tacho.toml` that decides about it, and the last output."""
    outcome = check.outcome
    failed = [check for check in outcome.checks if not check["passed"]]
    details = [
        f"  {check['name']}: expected {check['expected']}, got {check['got']}" for check in failed
    ]
    if outcome.is_refused:
        file = catalogue.loads.loads[load].file
        return "\n".join([f"{file}: the service does not answer as expected:", *details])
    path = catalogue.source / FILE_NAME
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    process, docker = _PLACES.get(outcome.failed_stage, (["loads", load], ["loads", load]))
    keys = process if bench.runtime.kind is RuntimeKind.PROCESS else docker
    place = f"{FILE_NAME}:{find_line(text, keys)} ({'.'.join(keys)})"
    # A service that wrote nothing leaves only the log of its build.
    is_of_build = outcome.log.startswith("$ ") and outcome.failed_stage != "building"
    lines = [] if is_of_build else outcome.log.strip().splitlines()[-_LOG_LINES:]
    log = ["Its last output:", *(f"  {line}" for line in lines)] if lines else []
    return "\n".join([f"{place}: {outcome.failure}", *details, *log])
