"""Create, check, change, cancel and repeat runs."""

import json
import secrets
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import (
    Profile,
    find_profile,
    list_profiles,
    resolve_parameters,
)
from backend.core.documents import Builds, CellRequest, Parameters, RunRequest
from backend.core.errors import Conflict, IdempotencyMismatch, InvalidRequest, TooLarge
from backend.core.models import Cell, Framework, Host, Run, Scenario
from backend.core.queue import after_commit, wake_up_worker
from backend.core.runs import quotas, repository
from backend.core.runs.event_stream import publish
from backend.core.runs.events import EndEvent
from backend.core.runs.goal import count_first_trials, count_most_trials, find_goal_problems
from backend.core.runs.hosts import get_candidate, list_candidates
from backend.core.runs.order import interleave
from backend.core.runs.slug import new_slug
from backend.core.runs.status import RUN_ENDS, run_status
from backend.core.statuses import RunStatus, Visibility
from backend.core.tokens.enforcement import enforce_restrictions
from backend.core.units import Purpose

MAX_CELLS = 1_000
MAX_TRIALS = 10_000

Problems = list[dict[str, str]]


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


def create_run(
    session: Session,
    workspace_id: UUID,
    request: RunRequest,
    idempotency_key: str | None = None,
) -> tuple[Run, bool]:
    """Check and queue a run of a workspace with all its trials in interleaved order.

    Returns:
        The run without its trials, and whether it is new (False if the same request came earlier
        with this key).

    Raises:
        TooLarge, Unavailable: no bench host that the workspace may use, IdempotencyMismatch,
        LimitExceeded: the workspace has no queued trials or bench minutes left,
        InvalidRequest: with every problem found; nothing is written.
    """
    request = enforce_restrictions(session, request)
    check_size(len(request.cells), count_most_trials(request))
    if idempotency_key is not None:
        repository.lock_key(session, workspace_id, idempotency_key)
        earlier = repository.find_run_by_key(session, workspace_id, idempotency_key)
        if earlier is not None:
            if earlier.request_digest != request.digest:
                raise IdempotencyMismatch(
                    "This Idempotency-Key belongs to another request; use a new key."
                )
            return repository.get_run_head(session, str(earlier.id)), False
    host, cells = _check(session, workspace_id, request)
    trials = count_first_trials(request)
    quotas.check(session, workspace_id, [(parameters, trials) for *_, parameters, _ in cells])
    run = _insert(session, workspace_id, request, host, cells, idempotency_key)
    queue = host.queue
    after_commit(session, lambda: wake_up_worker(queue))
    return repository.get_run_head(session, str(run.id)), True


def check_run(session: Session, workspace_id: UUID, request: RunRequest) -> Host:
    """Return the host of a workspace's run; raise as create_run does. Writes nothing."""
    request = enforce_restrictions(session, request)
    check_size(len(request.cells), count_most_trials(request))
    return _check(session, workspace_id, request)[0]


def cancel_run(session: Session, run: Run) -> None:
    """Cancel a run: queued trials end now, the current trial ends within seconds.

    Cancelling a cancelled run does nothing.

    Raises:
        Conflict: the run has succeeded or failed.
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
        after_commit(session, lambda: publish(run_id, EndEvent(status=status)))
    session.expire_all()


def change_run(
    session: Session, run: Run, *, title: str | None = None, visibility: Visibility | None = None
) -> None:
    """Change the title and visibility of a run; None leaves a value unchanged."""
    if title is not None:
        run.title = title
    if visibility is not None:
        run.visibility = visibility
    session.flush()


def repeat_run(session: Session, workspace_id: UUID, run: Run) -> Run:
    """Queue the same cells in a workspace again on the same host, with a new seed."""
    request = RunRequest(
        cells=[
            CellRequest(
                cell.framework.slug,
                cell.scenario.slug,
                cell.profile,
                dict(cell.parameters),
                cell.builds,
            )
            for cell in run.cells
        ],
        trials=run.trials_per_cell if run.goal is None else None,
        goal=run.goal,
        title=run.title,
        # This host exists only in example data, so it cannot run anything.
        host=None if run.host.example else run.host.name,
        visibility=run.visibility,
        purpose=run.purpose,
        study=(run.study, run.study_variant) if run.study and run.study_variant else None,
    )
    again, _ = create_run(session, workspace_id, request)
    again.rerun_of_id = run.id
    session.flush()
    return again


def update_status(session: Session, run: Run) -> None:
    """Update the status of a locked run from its trials."""
    counts = repository.count_trials(session, [run.id])[run.id]
    statuses = [status for status, count in counts.items() for _ in range(count)]
    is_cancelled = run.cancel_requested_at is not None
    run.status = run_status(statuses, is_cancelled, run.is_goal_open, run.has_goal_failed)
    if run.started_at is None and run.status != RunStatus.QUEUED:
        run.started_at = func.now()
    if run.finished_at is None and run.status in RUN_ENDS:
        run.finished_at = func.now()
    session.flush()


def _check(
    session: Session, workspace_id: UUID, request: RunRequest
) -> tuple[Host, list[tuple[Framework, Scenario, Profile, Parameters, Builds | None]]]:
    host, problems = _choose_host(session, workspace_id, request)
    cells = _check_cells(session, request.cells, request.purpose, host, problems)
    check_size(len(cells), count_most_trials(request))
    if request.goal is not None and not problems:
        parameters = [own for *_, own, _ in cells]
        groups = [(scenario.slug, profile.slug, own) for _, scenario, profile, own, _ in cells]
        problems.extend(find_goal_problems(request.goal, groups, parameters))
    if problems or host is None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InvalidRequest(f"{first['field']}: {first['detail']}{more}", problems[:100])
    return host, cells


def _choose_host(
    session: Session, workspace_id: UUID, request: RunRequest
) -> tuple[Host | None, Problems]:
    """Return the requested host, else the available host with the fewest unfinished trials.

    Hosts that can run every requested framework come first. A paused host is chosen only if there
    is no other.
    """
    if request.host is not None:
        try:
            return get_candidate(session, workspace_id, request.host), []
        except InvalidRequest as error:
            return None, list(error.problems)
    candidates = list_candidates(session, workspace_id)
    available = catalog.list_available(session)
    waiting = repository.count_unfinished(session)
    wanted = {cell.framework for cell in request.cells}

    def burden(host: Host) -> tuple[bool, bool, int, str]:
        is_unable = bool(wanted & host.unavailable.keys())
        return (host.name not in available, is_unable, waiting.get(host.name, 0), host.name)

    return min(candidates, key=burden), []


def _check_cells(
    session: Session,
    requested: Sequence[CellRequest],
    purpose: Purpose,
    host: Host | None,
    problems: Problems,
) -> list[tuple[Framework, Scenario, Profile, Parameters, Builds | None]]:
    frameworks = catalog.find_frameworks(session, {cell.framework for cell in requested})
    scenarios = catalog.find_scenarios(session, {cell.scenario for cell in requested})
    checked: list[tuple[Framework, Scenario, Profile, Parameters, Builds | None]] = []
    seen: dict[str, int] = {}
    for index, cell in enumerate(requested):
        framework, scenario = frameworks.get(cell.framework), scenarios.get(cell.scenario)
        at = f"cells.{index}"
        if framework is None:
            detail = catalog.describe_missing("framework", "frameworks", cell.framework)
            problems.append({"field": f"{at}.framework", "detail": detail})
        elif host is not None and cell.framework in host.unavailable:
            detail = (
                f"{cell.framework} cannot run on {host.name}: {host.unavailable[cell.framework]}"
            )
            problems.append({"field": f"{at}.framework", "detail": detail})
        elif not framework.digest.startswith(cell.framework_digest or ""):
            detail = (
                f"{cell.framework} has the digest {framework.digest[:12]}, not "
                f"{cell.framework_digest}: its files have changed. Check out the commit that you "
                "want to reproduce, or leave framework_digest out."
            )
            problems.append({"field": f"{at}.framework_digest", "detail": detail})
        if scenario is None:
            detail = catalog.describe_missing("scenario", "scenarios", cell.scenario)
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
        problems.extend(
            {**problem, "field": f"{at}.parameters.{problem['field']}"} for problem in wrong
        )
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


def _insert(
    session: Session,
    workspace_id: UUID,
    request: RunRequest,
    host: Host,
    cells: Sequence[tuple[Framework, Scenario, Profile, Parameters, Builds | None]],
    idempotency_key: str | None,
) -> Run:
    names = list(dict.fromkeys(framework.name for framework, *_ in cells))
    scenarios = list(dict.fromkeys(scenario.name for _, scenario, *_ in cells))
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    run = Run(
        workspace_id=workspace_id,
        slug=new_slug(),
        title=request.title or f"{shown} · {', '.join(scenarios)}",
        status=RunStatus.QUEUED,
        visibility=request.visibility,
        purpose=request.purpose,
        host_id=host.id,
        trials_per_cell=count_first_trials(request),
        goal=request.goal,
        seed=secrets.randbits(32),
        idempotency_key=idempotency_key,
        request_digest=request.digest,
        study=request.study[0] if request.study else None,
        study_variant=request.study[1] if request.study else None,
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
    repository.add_trials(
        session,
        run,
        [
            (rows[cell].id, repetition)
            for cell, repetition in interleave(len(rows), run.trials_per_cell, run.seed)
        ],
    )
    return run
