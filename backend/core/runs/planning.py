"""Check a requested run, choose its host, and plan its cells."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import (
    Profile,
    find_profile,
    list_profiles,
    resolve_parameters,
)
from backend.core.documents import Builds, CellRequest, FrameworkDocument, Parameters, RunRequest
from backend.core.errors import InvalidRequest, TooLarge
from backend.core.models import Framework, Host, Scenario
from backend.core.numbers import count_of
from backend.core.runs.goal import count_most_trials, find_goal_problems
from backend.core.runs.load_hosts import find_load_host_problems
from backend.core.runs.queue import repository as queues
from backend.core.runs.queue.hosts import get_candidate, list_candidates
from backend.core.units import Purpose

MAX_CELLS = 1_000
MAX_TRIALS = 10_000

Problems = list[dict[str, str]]


@dataclass(frozen=True)
class RunCell:
    """A cell to measure, with the digest of the framework's files on its host."""

    framework: Framework
    framework_digest: str
    scenario: Scenario
    profile: Profile
    parameters: Parameters
    builds: Builds | None


def check_size(cells: int, trials: int) -> None:
    """Raise TooLarge if a run has more cells or trials than a host should queue at once."""
    if cells > MAX_CELLS:
        raise TooLarge(
            f"cells: {cells:,} are too many; one run takes at most {MAX_CELLS:,}. Split the run.",
            field="cells",
        )
    if cells * trials > MAX_TRIALS:
        raise TooLarge(
            f"cells × trials: {cells * trials:,} are too many; one run takes at most "
            f"{MAX_TRIALS:,} trials. Use fewer cells or fewer trials.",
            field="trials",
        )


def plan_run(
    session: Session, workspace_id: UUID, request: RunRequest
) -> tuple[Host, list[RunCell]]:
    """Return the host and the cells of a run.

    Raises:
        TooLarge, Unavailable: no bench host that the workspace may use,
        InvalidRequest: with every problem found.
    """
    entries = _Entries.find(session, request.cells)
    host, sources, problems = _choose_host(session, workspace_id, request, entries)
    cells = _plan_cells(request, entries, host, sources, problems)
    check_size(len(cells), count_most_trials(request))
    if request.goal is not None and not problems:
        parameters = [cell.parameters for cell in cells]
        groups = [(cell.scenario.slug, cell.profile.slug, cell.parameters) for cell in cells]
        problems.extend(find_goal_problems(request.goal, groups, parameters))
    if host is not None and request.load_hosts:
        used = {cell.scenario.slug for cell in cells}
        scenarios = {slug: entries.manifests[slug] for slug in used}
        problems.extend(
            find_load_host_problems(session, workspace_id, request.load_hosts, host, scenarios)
        )
    if problems or host is None:
        raise InvalidRequest.of(problems)
    return host, cells


def list_suitable_hosts(
    session: Session, workspace_id: UUID, request: RunRequest
) -> tuple[list[Host], Problems]:
    """Return the available hosts with exactly what a run requests, and why others are not suitable.

    Raises:
        Unavailable: no bench host that the workspace may use.
    """
    entries = _Entries.find(session, request.cells)
    candidates = list_candidates(session, workspace_id)
    sources = read_host_sources(session, candidates)
    available = catalog.list_available(session)
    suitable: list[Host] = []
    problems: Problems = []
    for host in candidates:
        if host.name not in available:
            detail = _explain_unavailable(host)
            problems.append({"field": "hosts", "detail": detail})
            continue
        obstacles = _list_obstacles(request.cells, entries, host, sources[host.name])
        problems.extend(obstacles[:1])
        if not obstacles:
            suitable.append(host)
    return suitable, problems


def _explain_unavailable(host: Host) -> str:
    if host.disk_shortage:
        return f"{host.name} takes no trials. {host.disk_shortage}"
    return f"{host.name} is offline or paused."


@dataclass(frozen=True)
class _Entries:
    """The requested entries of the catalogue by slug; unknown ones are left out."""

    frameworks: Mapping[str, Framework]
    scenarios: Mapping[str, Scenario]

    @classmethod
    def find(cls, session: Session, cells: Sequence[CellRequest]) -> "_Entries":
        return cls(
            catalog.find_frameworks(session, {cell.framework for cell in cells}),
            catalog.find_scenarios(session, {cell.scenario for cell in cells}),
        )

    @cached_property
    def manifests(self) -> dict[str, ScenarioManifest]:
        """Return the manifests of the scenarios by slug."""
        return {
            slug: ScenarioManifest.model_validate(scenario.manifest)
            for slug, scenario in self.scenarios.items()
        }


def _choose_host(
    session: Session, workspace_id: UUID, request: RunRequest, entries: _Entries
) -> tuple[Host | None, HostSources, Problems]:
    """Return the requested host, else the available host with the fewest unfinished trials.

    Hosts that have exactly what is requested come first. A paused host is chosen only if there is
    no other.
    """
    if request.host is not None:
        try:
            host = get_candidate(session, workspace_id, request.host)
        except InvalidRequest as error:
            return None, HostSources(), list(error.problems)
        return host, read_host_sources(session, [host])[host.name], []
    candidates = list_candidates(session, workspace_id)
    sources = read_host_sources(session, candidates)
    available = catalog.list_available(session)
    waiting = queues.count_unfinished(session)

    def burden(host: Host) -> tuple[bool, bool, int, str]:
        obstacles = _list_obstacles(request.cells, entries, host, sources[host.name])
        return (host.name not in available, bool(obstacles), waiting.get(host.name, 0), host.name)

    best = min(candidates, key=burden)
    return best, sources[best.name], []


def _list_obstacles(
    cells: Sequence[CellRequest], entries: _Entries, host: Host, sources: HostSources
) -> Problems:
    """Return a problem for each cell that the host cannot measure."""
    problems: Problems = []
    for index, cell in enumerate(cells):
        framework = entries.frameworks.get(cell.framework)
        scenario = entries.scenarios.get(cell.scenario)
        at, where = f"cells.{index}", f"cannot run on {host.name}:"
        if framework is not None and (
            obstacle := sources.find_framework_obstacle(framework, cell.framework_digest)
        ):
            name = "framework" if cell.framework_digest is None else "framework_digest"
            detail = f"{cell.framework} {where} {obstacle}"
            problems.append({"field": f"{at}.{name}", "detail": detail})
        if scenario is not None and (obstacle := sources.find_scenario_obstacle(scenario)):
            detail = f"{cell.scenario} {where} {obstacle}"
            problems.append({"field": f"{at}.scenario", "detail": detail})
    return problems


def _plan_cells(
    request: RunRequest,
    entries: _Entries,
    host: Host | None,
    sources: HostSources,
    problems: Problems,
) -> list[RunCell]:
    """Return the cells of a run on a host; add what is wrong to the problems."""
    if host is not None:
        problems.extend(_list_obstacles(request.cells, entries, host, sources))
    planned: list[RunCell] = []
    seen: dict[str, int] = {}
    for index, cell in enumerate(request.cells):
        framework = entries.frameworks.get(cell.framework)
        scenario = entries.scenarios.get(cell.scenario)
        at = f"cells.{index}"
        if framework is None:
            detail = catalog.describe_missing("framework", "frameworks", cell.framework)
            problems.append({"field": f"{at}.framework", "detail": detail})
        if scenario is None:
            detail = catalog.describe_missing("scenario", "scenarios", cell.scenario)
            problems.append({"field": f"{at}.scenario", "detail": detail})
            continue
        files = framework and sources.find_files(framework)
        if files is not None:
            problems.extend(_find_unimplemented(at, cell, files.manifest))
        manifest = entries.manifests[cell.scenario]
        profile = find_profile(manifest, cell.profile)
        if profile is None:
            can = ", ".join(profile.slug for profile in list_profiles(manifest))
            detail = f"{cell.scenario} has no profile {cell.profile!r}; it has {can}."
            problems.append({"field": f"{at}.profile", "detail": detail})
            continue
        resolved, wrong = resolve_parameters(profile, cell.parameters)
        if host is not None:
            resolved, lacking = _fit_cores(host, cell, resolved)
            wrong += lacking
        problems.extend(
            {**problem, "field": f"{at}.parameters.{problem['field']}"} for problem in wrong
        )
        if framework is not None and files is not None:
            # Calibration runs measure equal cells on purpose.
            if not wrong and request.purpose == Purpose.COMPARISON:
                problems.extend(_find_repetitions(index, cell, profile.slug, resolved, seen))
            planned.extend(
                RunCell(framework, files.digest, scenario, profile, parameters, cell.builds)
                for parameters in resolved
            )
    return planned


def _fit_cores(
    host: Host, cell: CellRequest, resolved: list[Parameters]
) -> tuple[list[Parameters], Problems]:
    """Return the cells that need no more cores than the host has for a service.

    A requested number that is too large is a problem. Values of a profile's own sweep that are too
    large are left out.
    """
    most = host.fingerprint.get("service_cores")
    if most is None:
        return resolved, []
    fitting = [parameters for parameters in resolved if parameters.get("cores", 0) <= most]
    if len(fitting) == len(resolved) or ("cores" not in cell.parameters and fitting):
        return fitting, []
    detail = f"{host.name} has {count_of(most, 'core')} for a service; give 1 to {most}."
    return [], [{"field": "cores", "detail": detail}]


def _find_unimplemented(at: str, cell: CellRequest, manifest: FrameworkDocument) -> Problems:
    """Return a problem if a framework does not implement the scenario."""
    implemented = manifest["scenarios"]
    if cell.scenario in implemented:
        return []
    detail = (
        f"{cell.framework} does not implement {cell.scenario}; it implements "
        f"{', '.join(implemented)}."
    )
    return [{"field": f"{at}.scenario", "detail": detail}]


def _find_repetitions(
    index: int,
    cell: CellRequest,
    profile: str,
    resolved: Sequence[Parameters],
    seen: dict[str, int],
) -> Problems:
    """Return a problem for each combination that an earlier cell measures; add it to `seen`.

    `seen` maps a measured combination to the index of its first cell.
    """
    problems: Problems = []
    for parameters in resolved:
        measured = json.dumps(
            [cell.framework, cell.scenario, profile, parameters, cell.builds],
            sort_keys=True,
            default=str,
        )
        first = seen.setdefault(measured, index)
        if first != index:
            shown = ", ".join(f"{name} = {value}" for name, value in parameters.items())
            detail = (
                f"Measures the same as cells.{first}: {cell.framework}, {cell.scenario}, "
                f"{profile}{f' ({shown})' if shown else ''}. Remove one of them; `trials` "
                "sets how often each cell is measured."
            )
            problems.append({"field": f"cells.{index}", "detail": detail})
    return problems
