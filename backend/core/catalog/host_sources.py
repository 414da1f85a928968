"""Whether a bench host has exactly the sources of the catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from backend.core.catalog import source_repository as repository
from backend.core.models import Framework, Host, HostFramework, HostScenario, Scenario

_SHOWN_CHARACTERS = 12


@dataclass(frozen=True)
class HostSources:
    """The sources that a bench host has registered, by slug."""

    frameworks: Mapping[str, HostFramework] = field(default_factory=dict)
    scenarios: Mapping[str, HostScenario] = field(default_factory=dict)

    def find_framework_obstacle(self, framework: Framework, digest: str | None = None) -> str:
        """Return why the host cannot measure a framework; empty if it can.

        Args:
            digest: first characters of the requested digest. None requests the files of the
                catalogue.
        """
        source = self.frameworks.get(framework.slug)
        obstacle = _describe_difference(source, digest or framework.digest)
        return obstacle or (source and source.unavailable) or ""

    def find_files(self, framework: Framework) -> Framework | HostFramework:
        """Return the host's entry of a framework if its files differ from the catalogue's.

        Otherwise return the framework itself.
        """
        source = self.frameworks.get(framework.slug)
        return framework if source is None or source.digest == framework.digest else source

    def find_scenario_obstacle(self, scenario: Scenario) -> str:
        """Return why the host cannot measure with a scenario; empty if it can."""
        return _describe_difference(self.scenarios.get(scenario.slug), scenario.digest)

    def list_obstacles(self, frameworks: Sequence[Framework]) -> dict[str, str]:
        """Return why the host cannot measure frameworks, by slug; without those that it can."""
        found = {
            framework.slug: self.find_framework_obstacle(framework) for framework in frameworks
        }
        return {slug: obstacle for slug, obstacle in found.items() if obstacle}


def read_host_sources(session: Session, hosts: Sequence[Host]) -> dict[str, HostSources]:
    """Return the sources of each of these hosts, by the name of the host."""
    host_ids = [host.id for host in hosts]
    frameworks = repository.list_of_hosts(session, HostFramework, host_ids)
    scenarios = repository.list_of_hosts(session, HostScenario, host_ids)
    return {
        host.name: HostSources(
            {source.slug: source for source in frameworks if source.host_id == host.id},
            {source.slug: source for source in scenarios if source.host_id == host.id},
        )
        for host in hosts
    }


def _describe_difference(source: HostFramework | HostScenario | None, digest: str) -> str:
    if source is None:
        return "its files are not on this host; copy them there and restart the worker."
    if not source.digest.startswith(digest):
        return (
            f"this host has other files of it, with the digest {source.digest[:_SHOWN_CHARACTERS]} "
            f"instead of {digest[:_SHOWN_CHARACTERS]}; check out the same commit there, or request "
            "the files that it has by their digest."
        )
    return ""
