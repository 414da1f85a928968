"""The bench hosts: equal machines, each with the sources of the catalogue."""

from typing import Any

from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import Sources, read_sources, register_sources
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


def name_host(number: int) -> str:
    """Return the name of a host, which is its queue too."""
    return f"scale-{number + 1:02}"


def register_fleet(session: Session) -> list[Host]:
    """Register the hosts that measured the ended runs."""
    sources = read_sources(Catalogue(get_settings().services_dir))
    return [register(session, name_host(number), sources) for number in range(HOSTS)]


def register(session: Session, name: str, sources: Sources) -> Host:
    """Register a host as its worker does when it starts."""
    host = register_host(
        session,
        name,
        runtime=RUNTIME,
        fingerprint=FINGERPRINT,
        fingerprint_digest=DIGEST,
        harness=HARNESS,
    )
    register_sources(session, host.id, sources)
    return host
