"""What can be done with runs: create, cancel, repeat."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import (
    Parameters,
    Profile,
    find_profile,
    list_profiles,
    resolve_parameters,
)
from backend.core.errors import Conflict, IdempotencyMismatch, InvalidRequest, TooLarge, Unavailable
from backend.core.models import Cell, Framework, Host, Run, Scenario, Trial
from backend.core.queue import after_commit, publish, wake_up_worker
from backend.core.runs import repository
from backend.core.runs.order import interleave
from backend.core.runs.slug import new_slug
from backend.core.runs.status import RUN_ENDS, RunStatus, TrialStatus, run_status
from backend.core.units import Purpose

MAX_CELLS = 1_000
MAX_TRIALS = 10_000

Problems = list[dict[str, str]]
Builds = dict[str, str] | None


@dataclass(frozen=True)
class NewCell:
    """A cell as asked for, not yet checked."""

    framework: str
    scenario: str
    profile: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    # Slug of a program to the digest of a build that was measured before, to be used again.
    builds: Builds = None


@dataclass(frozen=True)
class NewRun:
    """A run as asked for, not yet checked. `host` None takes the shortest queue."""

    cells: Sequence[NewCell]
    trials: int
    title: str | None = None
    host: str | None = None
    visibility: str = "unlisted"
    purpose: Purpose = Purpose.COMPARISON
    # The study that it reproduces, and in which variant.
    study: tuple[str, str] | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of what was asked: tells a repeated request from a different one."""
        asked = asdict(self)
        if self.study is None:
            # As digests were before there were studies.
            del asked["study"]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def check_size(cells: int, trials: int) -> None:
    """Raises TooLarge when a run would be more than a host should queue in one go."""
    if cells > MAX_CELLS:
        raise TooLarge(
            f"cells: {cells:,} are too many; one run takes at most {MAX_CELLS:,}. Split the run.",
            field="cells",
        )
    if cells * trials > MAX_TRIALS:
        raise TooLarge(
            f"cells × trials: {cells * trials:,} are too many; one run takes at most "
            f"{MAX_TRIALS:,} trials. Ask for fewer cells or fewer trials.",
            field="trials",
        )


def create_run(
    session: Session, asked: NewRun, idempotency_key: str | None = None
) -> tuple[Run, bool]:
    """Check and queue a run with all its trials in interleaved order.

    Returns:
        The run, and whether it is new (False: the same request came before under this key).

    Raises:
        TooLarge, Unavailable: no bench host, IdempotencyMismatch,
        InvalidRequest: with every problem found; nothing is written.
    """
    check_size(len(asked.cells), asked.trials)
    if idempotency_key is not None:
        repository.lock_key(session, idempotency_key)
        earlier = repository.find_run_by_key(session, idempotency_key)
        if earlier is not None:
            if earlier.request_digest != asked.digest:
                raise IdempotencyMismatch(
                    "This Idempotency-Key belongs to another request; use a new key."
                )
            return repository.get_run(session, str(earlier.id)), False
    host, cells = _check(session, asked)
    run = _insert(session, asked, host, cells, idempotency_key)
    host_name = host.name
    after_commit(session, lambda: wake_up_worker(host_name))
    return repository.get_run(session, str(run.id)), True


def check_run(session: Session, asked: NewRun) -> Host:
    """The host that would run it now; raises as create_run, and writes nothing."""
    check_size(len(asked.cells), asked.trials)
    return _check(session, asked)[0]


def cancel_run(session: Session, run: Run) -> None:
    """Ask a run to stop: what is queued ends now, the trial under way within moments.

    Raises:
        Conflict: it has ended otherwise. Cancelling twice is fine.
    """
    repository.lock_unfinished(session, run.id)
    locked = repository.lock_run(session, run.id)
    if locked.status == RunStatus.CANCELLED:
        return
    if locked.status in RUN_ENDS:
        raise Conflict(f"Run {run.slug} has ended as {locked.status}; there is nothing to cancel.")
    if locked.cancel_requested_at is None:
        locked.cancel_requested_at = func.now()
    repository.cancel_queued(session, run.id)
    update_status(session, locked)
    run_id, status = run.id, locked.status
    if status in RUN_ENDS:
        after_commit(session, lambda: publish(run_id, "end", {"status": status}))
    session.expire_all()


def change_run(
    session: Session, run: Run, *, title: str | None = None, visibility: str | None = None
) -> None:
    """Change how a run is called and who may read it; None leaves it as it is."""
    if title is not None:
        run.title = title
    if visibility is not None:
        run.visibility = visibility
    session.flush()


def repeat_run(session: Session, run: Run) -> Run:
    """Queue the same cells again on the same host, with a new seed."""
    asked = NewRun(
        cells=[
            NewCell(
                cell.framework.slug,
                cell.scenario.slug,
                cell.profile,
                dict(cell.parameters),
                cell.builds,
            )
            for cell in run.cells
        ],
        trials=run.trials_per_cell,
        title=run.title,
        # The host of example data is not here.
        host=None if run.host.example else run.host.name,
        visibility=run.visibility,
        purpose=Purpose(run.purpose),
        study=(run.study, run.study_variant) if run.study and run.study_variant else None,
    )
    again, _ = create_run(session, asked)
    again.rerun_of_id = run.id
    session.flush()
    return again


def update_status(session: Session, run: Run) -> None:
    """Bring a locked run's status in line with its trials."""
    counts = repository.count_trials(session, [run.id])[run.id]
    statuses = [status for status, count in counts.items() for _ in range(count)]
    run.status = run_status(statuses, run.cancel_requested_at is not None)
    if run.started_at is None and run.status != RunStatus.QUEUED:
        run.started_at = func.now()
    if run.finished_at is None and run.status in RUN_ENDS:
        run.finished_at = func.now()
    session.flush()


def _check(
    session: Session, asked: NewRun
) -> tuple[Host, list[tuple[Framework, Scenario, Profile, Parameters, Builds]]]:
    host, problems = _choose_host(session, asked)
    cells = _check_cells(session, asked.cells, asked.purpose, host, problems)
    check_size(len(cells), asked.trials)
    if problems or host is None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InvalidRequest(f"{first['field']}: {first['detail']}{more}", problems[:100])
    return host, cells


def _choose_host(session: Session, asked: NewRun) -> tuple[Host | None, Problems]:
    """The host asked for; else one that is online, can run everything, and has least to do."""
    name = asked.host
    hosts = {host.name: host for host in catalog.list_hosts(session)}
    if not hosts:
        raise Unavailable(
            "No bench host has registered yet; start a worker (make up does) and try again."
        )
    if name is None:
        online = catalog.list_online(session)
        waiting = repository.count_unfinished(session)
        wanted = {cell.framework for cell in asked.cells}

        def burden(each: str) -> tuple[bool, bool, int, str]:
            is_unable = bool(wanted & hosts[each].unavailable.keys())
            return (each not in online, is_unable, waiting.get(each, 0), each)

        return hosts[min(hosts, key=burden)], []
    if name not in hosts:
        known = ", ".join(hosts)
        return None, [{"field": "host", "detail": f"There is no host {name!r}; there are {known}."}]
    return hosts[name], []


def _check_cells(
    session: Session,
    asked: Sequence[NewCell],
    purpose: Purpose,
    host: Host | None,
    problems: Problems,
) -> list[tuple[Framework, Scenario, Profile, Parameters, Builds]]:
    frameworks = catalog.find_frameworks(session, {cell.framework for cell in asked})
    scenarios = catalog.find_scenarios(session, {cell.scenario for cell in asked})
    checked: list[tuple[Framework, Scenario, Profile, Parameters, Builds]] = []
    seen: dict[str, int] = {}
    for index, cell in enumerate(asked):
        framework, scenario = frameworks.get(cell.framework), scenarios.get(cell.scenario)
        at = f"cells.{index}"
        if framework is None:
            detail = f"There is no framework {cell.framework!r}; GET /api/v1/frameworks lists them."
            problems.append({"field": f"{at}.framework", "detail": detail})
        elif host is not None and cell.framework in host.unavailable:
            detail = (
                f"{cell.framework} cannot run on {host.name}: {host.unavailable[cell.framework]}"
            )
            problems.append({"field": f"{at}.framework", "detail": detail})
        if scenario is None:
            detail = f"There is no scenario {cell.scenario!r}; GET /api/v1/scenarios lists them."
            problems.append({"field": f"{at}.scenario", "detail": detail})
            continue
        if framework is not None and cell.scenario not in framework.manifest["scenarios"]:
            can = ", ".join(framework.manifest["scenarios"])
            detail = f"{cell.framework} does not implement {cell.scenario}; it implements {can}."
            problems.append({"field": f"{at}.scenario", "detail": detail})
        manifest = ScenarioManifest.model_validate(scenario.manifest)
        profile = find_profile(manifest, cell.profile)
        if profile is None:
            can = ", ".join(profile.slug for profile in list_profiles(manifest))
            detail = f"{cell.scenario} has no profile {cell.profile!r}; it has {can}."
            problems.append({"field": f"{at}.profile", "detail": detail})
            continue
        resolved, wrong = resolve_parameters(profile, cell.parameters)
        problems.extend({**one, "field": f"{at}.parameters.{one['field']}"} for one in wrong)
        if framework is not None:
            # Calibration runs measure equal cells on purpose.
            if not wrong and purpose == Purpose.COMPARISON:
                problems.extend(_find_repetitions(index, cell, profile.slug, resolved, seen))
            checked.extend(
                (framework, scenario, profile, parameters, cell.builds) for parameters in resolved
            )
    return checked


def _find_repetitions(
    index: int,
    cell: NewCell,
    profile: str,
    resolved: Sequence[Parameters],
    seen: dict[str, int],
) -> Problems:
    """Problems of a cell that an earlier one already measures; adds the cell to `seen`.

    `seen` maps what is measured to the index of the first cell that measures it.
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


def _insert(
    session: Session,
    asked: NewRun,
    host: Host,
    cells: Sequence[tuple[Framework, Scenario, Profile, Parameters, Builds]],
    idempotency_key: str | None,
) -> Run:
    names = list(dict.fromkeys(framework.name for framework, *_ in cells))
    scenarios = list(dict.fromkeys(scenario.name for _, scenario, *_ in cells))
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    run = Run(
        slug=new_slug(),
        title=asked.title or f"{shown} · {', '.join(scenarios)}",
        status=RunStatus.QUEUED,
        visibility=asked.visibility,
        purpose=asked.purpose,
        host_id=host.id,
        trials_per_cell=asked.trials,
        seed=secrets.randbits(32),
        idempotency_key=idempotency_key,
        request_digest=asked.digest,
        study=asked.study[0] if asked.study else None,
        study_variant=asked.study[1] if asked.study else None,
    )
    session.add(run)
    session.flush()
    rows = [
        Cell(
            run_id=run.id,
            position=position,
            framework_id=framework.id,
            scenario_id=scenario.id,
            framework_digest=framework.digest,
            scenario_digest=scenario.digest,
            profile=profile.slug,
            kind=profile.kind,
            parameters=parameters,
            builds=builds,
        )
        for position, (framework, scenario, profile, parameters, builds) in enumerate(cells)
    ]
    session.add_all(rows)
    session.flush()
    order = interleave(len(rows), asked.trials, run.seed)
    session.add_all(
        Trial(
            run_id=run.id,
            cell_id=rows[cell].id,
            host_id=host.id,
            repetition=repetition,
            position=position,
            status=TrialStatus.QUEUED,
        )
        for position, (cell, repetition) in enumerate(order)
    )
    session.flush()
    return run
