"""The hosts that send the load of a run over the network."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.models import Host, Run, Trial
from backend.core.runs.status import STAGES
from backend.core.statuses import HostStatus

Problem = dict[str, str]


@dataclass(frozen=True)
class RequestedLoad:
    """The load of a trial that runs. All hosts are queues."""

    run_id: UUID
    trial_id: UUID
    attempt: int
    service_host: str
    load_hosts: Sequence[str]


def find_requested_load(session: Session, trial_id: UUID) -> RequestedLoad | None:
    """Return the load of a trial; None if the trial does not run."""
    query = (
        select(Run.id, Trial.id, Trial.attempt, Host.queue, Run.load_hosts)
        .join(Run, Run.id == Trial.run_id)
        .join(Host, Host.id == Trial.host_id)
        .where(Trial.id == trial_id, Trial.status.in_(STAGES))
    )
    row = session.execute(query).one_or_none()
    return None if row is None else RequestedLoad(*row)


def list_queues(session: Session, names: Sequence[str]) -> list[str]:
    """Return the queues of load hosts in the order of their names. They stay if names change."""
    queues = {host.name: host.queue for host in catalog.list_hosts(session)} if names else {}
    return [queues[name] for name in names]


def list_names(session: Session, queues: Sequence[str]) -> list[str]:
    """Return the present names of load hosts by their queues."""
    names = _find_names(session, queues)
    return [names.get(queue, queue) for queue in queues]


def read_names(session: Session, runs: Iterable[Run]) -> dict[str, str]:
    """Return the present names of all load hosts of runs, by queue. Revoked hosts are left out."""
    return _find_names(session, {queue for run in runs for queue in run.load_hosts})


def _find_names(session: Session, queues: Collection[str]) -> dict[str, str]:
    if not queues:
        return {}
    query = select(Host.queue, Host.name).where(Host.queue.in_(queues))
    query = query.where(~Host.example, Host.revoked_at.is_(None))
    return dict(session.execute(query).all())


def find_load_host_problems(
    session: Session,
    workspace_id: UUID,
    names: Sequence[str],
    host: Host,
    scenarios: Mapping[str, ScenarioManifest],
) -> list[Problem]:
    """Return what prevents these hosts from sending the load of services on `host`.

    Args:
        scenarios: manifests by slug.
    """
    if not names:
        return []
    problems = [] if (reason := _why_unreachable(host)) is None else [_problem("host", reason)]
    usable = {known.name: known for known in catalog.list_usable_hosts(session, workspace_id)}
    known = ", ".join(name for name in usable if name != host.name) or "none"
    for index, name in enumerate(names):
        at = f"load_hosts.{index}"
        if name == host.name:
            problems.append(
                _problem(at, f"{name} runs the services. Name another host, or remove load_hosts.")
            )
        elif name not in usable:
            problems.append(
                _problem(at, f"There is no host {name!r} that may send load; there are: {known}.")
            )
        elif usable[name].status is not HostStatus.READY:
            problems.append(_problem(at, f"{name} is paused. Resume it, or name another host."))
        elif name in names[:index]:
            problems.append(_problem(at, f"{name} is listed twice. Remove one of them."))
        elif usable[name].harness.get("k6_sha256") != host.harness.get("k6_sha256"):
            detail = (
                f"{name} and {host.name} have different load generators. Install the same version "
                "of Tacho on both, and restart their workers."
            )
            problems.append(_problem(at, detail))
        elif usable[name].fingerprint.get("refuses_load"):
            detail = (
                f"{name} has no sandbox for the load generator, so it refuses to send load. "
                f"Install bubblewrap on {name} and restart its worker, or name another host. If "
                f"you trust all hosts, set TACHO_ALLOW_UNISOLATED=true on {name}."
            )
            problems.append(_problem(at, detail))
    for slug in sorted(slug for slug, manifest in scenarios.items() if manifest.changes_data):
        detail = (
            f"The load of {slug} changes files of the service, so it cannot come from another host."
            " Remove the scenario, or remove load_hosts."
        )
        problems.append(_problem("load_hosts", detail))
    return problems


def _why_unreachable(host: Host) -> str | None:
    if not host.service_address:
        return (
            f"Load hosts cannot reach services on {host.name}. Set TACHO_SERVICE_ADDRESS there to "
            "the address of its network, and restart its worker. If it is set, the log of the "
            "worker contains what is missing."
        )
    return None


def _problem(field: str, detail: str) -> Problem:
    return {"field": field, "detail": detail}
