"""Whether a bench host has exactly the sources of the catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import source_repository as repository
from backend.core.catalog.repository import UsableHost
from backend.core.models import Framework, Host, HostFramework, HostScenario, Scenario

_SHOWN_CHARACTERS = 12


@dataclass(frozen=True)
class HostSources:
    """The sources of a bench host that differ from the catalogue, by slug; None if it has none.

    Of entries that are left out, the host has the files of the catalogue, and can run them.
    """

    frameworks: Mapping[str, HostFramework | None] = field(default_factory=dict)
    scenarios: Mapping[str, HostScenario | None] = field(default_factory=dict)

    def find_framework_obstacle(self, framework: Framework, digest: str | None = None) -> str:
        """Return why the host cannot measure a framework; empty if it can.

        Args:
            digest: first characters of the requested digest. None requests the files of the
                catalogue.
        """
        source = self.frameworks.get(framework.slug, framework)
        obstacle = _describe_difference(source, digest or framework.digest)
        return obstacle or (isinstance(source, HostFramework) and source.unavailable) or ""

    def find_framework_digest(self, framework: Framework) -> str | None:
        """Return the digest of the host's files of a framework; None if it has none."""
        source = self.frameworks.get(framework.slug, framework)
        return None if source is None else source.digest

    def find_scenario_digest(self, scenario: Scenario) -> str | None:
        """Return the digest of the host's files of a scenario; None if it has none."""
        source = self.scenarios.get(scenario.slug, scenario)
        return None if source is None else source.digest

    def find_files(self, framework: Framework) -> Framework | HostFramework:
        """Return the host's entry of a framework if its files differ from the catalogue's.

        Otherwise return the framework itself.
        """
        source = self.frameworks.get(framework.slug)
        return framework if source is None or source.digest == framework.digest else source

    def find_scenario_obstacle(self, scenario: Scenario) -> str:
        """Return why the host cannot measure with a scenario; empty if it can."""
        return _describe_difference(self.scenarios.get(scenario.slug, scenario), scenario.digest)

    def list_obstacles(self, frameworks: Sequence[Framework]) -> dict[str, str]:
        """Return why the host cannot measure frameworks, by slug; without those that it can."""
        found = {
            framework.slug: self.find_framework_obstacle(framework)
            for framework in frameworks
            if framework.slug in self.frameworks
        }
        return {slug: obstacle for slug, obstacle in found.items() if obstacle}


def read_host_sources(
    session: Session, hosts: Sequence[Host | UsableHost], *, has_scenarios: bool = True
) -> dict[str, HostSources]:
    """Return the sources of each of these hosts, by the name of the host.

    Args:
        has_scenarios: False for pages that only show frameworks.
    """
    host_ids = [host.id for host in hosts]
    frameworks: dict[UUID, dict[str, HostFramework | None]] = {own: {} for own in host_ids}
    scenarios: dict[UUID, dict[str, HostScenario | None]] = {own: {} for own in host_ids}
    for host_id, slug, framework in repository.list_differing(
        session, HostFramework, Framework, host_ids
    ):
        frameworks[host_id][slug] = framework
    differing = (
        repository.list_differing(session, HostScenario, Scenario, host_ids)
        if has_scenarios
        else []
    )
    for host_id, slug, scenario in differing:
        scenarios[host_id][slug] = scenario
    return {host.name: HostSources(frameworks[host.id], scenarios[host.id]) for host in hosts}


def _describe_difference(
    source: Framework | HostFramework | Scenario | HostScenario | None, digest: str
) -> str:
    if source is None:
        return "its files are not on this host; copy them there and restart the worker."
    if not source.digest.startswith(digest):
        return (
            f"this host has other files of it, with the digest {source.digest[:_SHOWN_CHARACTERS]} "
            f"instead of {digest[:_SHOWN_CHARACTERS]}; check out the same commit there, or request "
            "the files that it has by their digest."
        )
    return ""
