"""The bench hosts: equal machines, each with the sources of the catalogue."""

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.catalog.service import register_host
from backend.core.config import get_settings
from backend.core.documents import HostFingerprint
from backend.core.models import Host
from backend.core.units import Isolation, RuntimeKind
from tools.benchmarks.many_runs.size import HOSTS
from tools.benchmarks.scale import ENVIRONMENT
from worker.bench.fingerprint import digest_harness

RUNTIME = RuntimeKind.PROCESS
HARNESS = ENVIRONMENT["harness"]
DIGEST = ENVIRONMENT["host_digest"]
FINGERPRINT: HostFingerprint = ENVIRONMENT["host"] | {
    "isolation": Isolation.NAMESPACES_FILTER,
    "cpus": {"service": "0-1", "load": "2", "backing": "3"},
}


def describe_environment(framework_digest: str, scenario_digest: str) -> dict[str, Any]:
    """Return the environment of a trial on any of the hosts, as a worker stores it."""
    return ENVIRONMENT | {
        "host": FINGERPRINT,
        "harness_digest": digest_harness(HARNESS, scenario_digest),
        "runtime": RUNTIME,
        "framework_digest": framework_digest,
        "scenario_digest": scenario_digest,
    }


def register_fleet(session: Session) -> list[Host]:
    """Register the hosts as their workers do when they start."""
    sources = read_sources(Catalogue(get_settings().services_dir))
    hosts = []
    for number in range(HOSTS):
        host = register_host(
            session,
            f"scale-{number + 1:02}",
            runtime=RUNTIME,
            fingerprint=FINGERPRINT,
            fingerprint_digest=DIGEST,
            harness=HARNESS,
        )
        register_sources(session, host.id, sources)
        hosts.append(host)
    return hosts


def list_fleet(session: Session) -> list[tuple[UUID, str]]:
    """Return id and name of each host."""
    rows = session.execute(select(Host.id, Host.name).where(~Host.example).order_by(Host.name))
    return [(host_id, name) for host_id, name in rows]
