"""The networks between the load hosts of a run and its services, over all trials."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.documents import NetworkMeasurement
from backend.core.runs.trials import repository


@dataclass(frozen=True)
class LoadHostNetwork:
    """The network of a load host: medians of what was measured before the load of each trial.

    Round trips are in ms, throughput in Mbit/s. `send_mbps` is the direction of requests.
    """

    name: str
    trials: int
    min_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    send_mbps: float
    receive_mbps: float


def list_networks(session: Session, run_id: UUID) -> list[LoadHostNetwork]:
    """Return the network of each load host of a run, in their order; empty before the first."""
    measured: dict[str, list[NetworkMeasurement]] = {}
    for load_hosts in repository.list_measured_load_hosts(session, run_id):
        for host in load_hosts:
            measured.setdefault(host["name"], []).append(host["network"])
    return [_summarise(name, networks) for name, networks in measured.items()]


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
