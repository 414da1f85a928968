"""The hosts that send the load of a run over the network."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.bodies import Schema
from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.documents import NetworkMeasurement
from backend.core.models import Host, Run, Trial
from backend.core.runs.status import STAGES
from backend.core.runs.trials import repository as trials
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


class LoadHostNetwork(Schema):
    """The network from a load host to the services: medians of all trials, each measured before
    the load."""

    name: str
    trials: int = Field(description="Number of succeeded trials in which it was measured.")
    min_ms: float = Field(description="Shortest round trip.")
    p50_ms: float = Field(description="Median round trip. Latencies are hardly ever below it.")
    p90_ms: float
    p99_ms: float
    send_mbps: float = Field(description="Throughput in the direction of requests, in Mbit/s.")
    receive_mbps: float = Field(description="Throughput in the direction of responses, in Mbit/s.")


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
    query = select(Host.name, Host.queue).where(Host.name.in_(names))
    queues = dict(session.execute(query).all())
    return [queues[name] for name in names]


def list_names(session: Session, queues: Sequence[str]) -> list[str]:
    """Return the present names of load hosts by their queues."""
    names = find_names(session, queues) if queues else {}
    return [names.get(queue, queue) for queue in queues]


def find_names(session: Session, queues: Collection[str]) -> dict[str, str]:
    """Return the present names of hosts by queue. Revoked hosts are left out."""
    query = select(Host.queue, Host.name).where(Host.queue.in_(queues))
    query = query.where(~Host.example, Host.revoked_at.is_(None))
    return dict(session.execute(query).all())


def list_networks(session: Session, run_id: UUID) -> list[LoadHostNetwork]:
    """Return the network of each load host of a run, in their order; empty before the first."""
    measured: dict[str, list[NetworkMeasurement]] = {}
    for load_hosts in trials.list_measured_load_hosts(session, run_id):
        for host in load_hosts:
            measured.setdefault(host["name"], []).append(host["network"])
    return [_summarise(name, networks) for name, networks in measured.items()]


def find_load_host_problems(
    session: Session,
    workspace_id: UUID,
    names: Sequence[str],
    host: Host,
    scenarios: Mapping[str, ScenarioManifest],
) -> list[Problem]:
    """Return what prevents these hosts from sending the load of services on `host`.

    Args:
        names: of the hosts; at least one.
        scenarios: manifests by slug.
    """
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


def _summarise(name: str, networks: Sequence[NetworkMeasurement]) -> LoadHostNetwork:
    return LoadHostNetwork(
        name=name,
        trials=len(networks),
        min_ms=median(network["min_ms"] for network in networks),
        p50_ms=median(network["p50_ms"] for network in networks),
        p90_ms=median(network["p90_ms"] for network in networks),
        p99_ms=median(network["p99_ms"] for network in networks),
        send_mbps=median(network["send_mbps"] for network in networks),
        receive_mbps=median(network["receive_mbps"] for network in networks),
    )
