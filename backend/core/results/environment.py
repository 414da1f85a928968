"""Differences between the environments of trials, which prevent a comparison."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backend.core.cpus import format_cpu_list
from backend.core.documents import TrialEnvironment
from backend.core.units import LatencyStart, ServiceNetwork

# Subjects that differ between the cells of a run by design.
OF_CELL = frozenset({"framework", "scenario", "latency"})
# Subjects that always differ between runtimes.
_OF_RUNTIME = ("host.engine", "host.isolation", "host.toolchains", "framework")
# Parts of the fingerprint that have their own subject.
_TOLD_APART = frozenset({"cpus", "runtime"})
# Parts of the fingerprint that affect no result, or follow from others: the CPU sets are compared
# themselves. Where memory is not limited, resources are counted in another way, which is a
# difference. The digest of a host leaves them out.
IRRELEVANT = frozenset(
    {"build_network", "refuses_load", "memory_fault", "cpu_layout", "cpu_notes", "service_cores"}
)
_ROLES = ("service", "load", "backing")
_SHOWN_CHARACTERS = 12
_NONE = "none"
_RECORDS = ("cpus", "host", "harness")
_SAME_HOST = "the host of the service"


@dataclass(frozen=True)
class Difference:
    """One difference; its values are texts for users.

    `subject` is `runtime`, `cpus.<role>`, `host.<key>`, `harness.<key>`, `framework`, `scenario`,
    `load_hosts`, `service_network`, `latency` (from when it counts) or `resources` (where CPU and
    memory were counted).
    """

    subject: str
    one: str
    other: str

    def __str__(self) -> str:
        return f"{self.subject} ({self.one} or {self.other})"


def differences(
    one: TrialEnvironment, other: TrialEnvironment, ignoring: Collection[str] = ()
) -> list[Difference]:
    """Return the differences between the environments of two trials; empty if there are none.

    Args:
        one: the `environment` of a trial.
        other: the environment of another trial. A subject that only one of them has is not a
            difference, except within host and harness.
        ignoring: subjects that may differ, such as `OF_CELL` between cells of one run.
    """
    if one == other:
        return []
    # Equal records need no comparison of their values, which took most of the time of a large run.
    equal = {name for name in _RECORDS if name in one and one.get(name) == other.get(name)}
    first, second = dict(_subjects(one, equal)), dict(_subjects(other, equal))
    # The kernel reserves slightly different amounts of memory at each boot of the same host.
    is_same_host = one.get("host_digest") == other.get("host_digest")
    is_same_runtime = first.get("runtime") == second.get("runtime")
    found = []
    for subject in {**first, **second}:
        if subject in ignoring or (is_same_host and subject.startswith("host.")):
            continue
        if not is_same_runtime and subject.startswith(_OF_RUNTIME):
            continue
        group = subject.partition(".")[0]
        default = _NONE if one.get(group) and other.get(group) else ""
        values = first.get(subject) or default, second.get(subject) or default
        if all(values) and values[0] != values[1]:
            found.append(Difference(subject, _shown(values[0]), _shown(values[1])))
    return found


def shared_by(environments: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the values that all have in common, for nested records by key, without empty ones."""
    if not environments:
        return {}
    first, *others = environments
    found: dict[str, object] = {}
    for key, value in first.items():
        told = [environment.get(key) for environment in others]
        records = [other for other in told if isinstance(other, Mapping)]
        if all(other == value for other in told):
            found[key] = value
        elif isinstance(value, Mapping) and len(records) == len(told):
            nested = shared_by([value, *records])
            found |= {key: nested} if nested else {}
    return found


def without(environment: Mapping[str, object], shared: Mapping[str, object]) -> dict[str, object]:
    """Return an environment without the values that it shares with others."""
    found: dict[str, object] = {}
    for key, value in environment.items():
        common = shared.get(key)
        if key not in shared:
            found[key] = value
        elif isinstance(value, Mapping) and isinstance(common, Mapping) and value != common:
            found[key] = without(value, common)
    return found


def _subjects(
    environment: TrialEnvironment, left_out: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield subjects and values of an environment, in reading order.

    Args:
        left_out: those of `_RECORDS` that are not needed.
    """
    yield "runtime", str(environment.get("runtime") or "")
    cpus = {} if "cpus" in left_out else environment.get("cpus", {})
    yield from ((f"cpus.{role}", format_cpu_list(cpus[role])) for role in _ROLES if role in cpus)
    host = {} if "host" in left_out else environment.get("host", {})
    for key, value in host.items():
        if key in _TOLD_APART | IRRELEVANT:
            continue
        if isinstance(value, Mapping):
            yield from ((f"host.{key}.{name}", str(text)) for name, text in value.items())
        else:
            yield f"host.{key}", str(value)
    harness = {} if "harness" in left_out else environment.get("harness", {})
    for key, value in harness.items():
        yield f"harness.{key}", str(value)
    yield "framework", str(environment.get("framework_digest") or "")
    yield "scenario", str(environment.get("scenario_digest") or "")
    yield "load_hosts", _describe_load_hosts(environment)
    yield "service_network", _describe_service_network(environment)
    yield "latency", _describe_latency(environment)
    yield "resources", str(environment.get("resource_source") or "")


def _describe_load_hosts(environment: TrialEnvironment) -> str:
    """Return where the load came from; empty if the environment is empty."""
    hosts = environment.get("load_hosts", [])
    named = ", ".join(f"{host['name']} {host['host_digest'][:_SHOWN_CHARACTERS]}" for host in hosts)
    return named or (_SAME_HOST if environment else "")


def _describe_service_network(environment: TrialEnvironment) -> str:
    """Return the network in which load hosts reached the service; empty without load hosts."""
    if not environment.get("load_hosts"):
        return ""
    # Trials that lack it are older than links to the network of a pod.
    return environment.get("service_network", ServiceNetwork.HOST)


def _describe_latency(environment: TrialEnvironment) -> str:
    """Return from when latency counts; empty if the environment is empty."""
    if not environment:
        return ""
    return f"from the {environment.get('latency_from', LatencyStart.SEND)}"


def _shown(text: str) -> str:
    is_digest = len(text) == 64 and not set(text) - set("0123456789abcdef")
    return text[:_SHOWN_CHARACTERS] if is_digest else text
