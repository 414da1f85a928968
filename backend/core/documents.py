"""Types of the documents that tables store as JSON. `models.document.Document` validates them."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from backend.core.statuses import GoalState, StudyVariant, Visibility
from backend.core.units import (
    BuildNetwork,
    FailureCause,
    HostFolder,
    Isolation,
    LatencyStart,
    Metric,
    Purpose,
    RuntimeKind,
    ServiceNetwork,
    Verdict,
)

# The value of `hosts` in a request that stands for every suitable host.
EACH: Final = "each"

# A JSON object from outside, whose shape is not checked: an answer over HTTP or a file.
JsonObject = dict[str, Any]
# Values of a load's parameters, by name.
Parameters = dict[str, int]
# Content digests of builds, by program slug.
Builds = dict[str, str]
# Versions and digests of the measuring software, by name.
Harness = dict[str, str]
_Bytes = Annotated[int, Field(strict=True, ge=0, lt=2**63)]


@with_config(ConfigDict(extra="forbid"))
class BuildPair(TypedDict):
    """Content digests of a program's builds before and after a change."""

    before: str
    after: str


@with_config(ConfigDict(extra="forbid"))
class SourceFile(TypedDict):
    """A file of a build's source. `text` is null if the file is large, not text, or generated."""

    path: str
    sha256: str
    text: str | None


# Bundles of older versions also have the key `of_host`.
@with_config(ConfigDict(extra="ignore"))
class StoredWarning(TypedDict):
    """A verdict about a trial, and the figures that led to it."""

    verdict: Verdict
    detail: str


class StoredCellWarning(StoredWarning):
    """A verdict about a cell, and the number of its trials that have it."""

    trials: int


@with_config(ConfigDict(extra="forbid"))
class ConformanceCheck(TypedDict):
    """A check of the scenario's contract, made before or after the load."""

    name: str
    passed: bool
    expected: str
    got: str


@with_config(ConfigDict(extra="forbid"))
class WrongAnswer(TypedDict):
    """A request of the load whose response was wrong."""

    request: str
    expected: str
    got: str


@with_config(ConfigDict(extra="forbid"))
class CallCount(TypedDict):
    """How many calls of a load reached a backing service or a peer.

    `calls` is None if the count could not be read after the load.
    """

    name: str
    calls: int | None


@with_config(ConfigDict(extra="forbid"))
class ResponseChecks(TypedDict):
    """How the responses of a whole load, with its warm-up, were checked.

    All counts except `controls` and `controls_wrong` are about ordinary requests. The service must
    refuse control requests. `answered` counts responses with the expected status,
    `compared` those that were compared in full, `signed` those with a valid signature,
    and `bunched` streams whose items arrived together.
    """

    sent: int
    answered: int
    resent: int
    compared: int
    wrong: int
    signed: int
    bunched: int
    controls: int
    controls_wrong: int
    first_wrong: WrongAnswer | None
    counts: list[CallCount]


class Failure(BaseModel):
    """Why a trial failed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str = Field(examples=["verification_failed"])
    title: str
    detail: str
    cause: FailureCause = Field(
        description="The party at fault. Failures of the load generator and of the infrastructure "
        "are retried, at most twice."
    )
    stage: str = Field(examples=["verifying"])
    evidence: list[ConformanceCheck] = Field(
        default_factory=list,
        description="All checks of the contract, if the service failed some of them.",
    )


@with_config(ConfigDict(extra="forbid"))
class GuardFailure(TypedDict):
    """Why a guard has no verdict: the code of the error, and its detail for people."""

    code: str
    detail: str


@with_config(ConfigDict(extra="forbid"))
class StoredWarmUp(TypedDict):
    """Duration, maximum duration, whether the load became steady (None: not tested), and why."""

    seconds: int
    cap_seconds: int
    is_steady: bool | None
    detail: str


@with_config(ConfigDict(extra="forbid"))
class Lateness(TypedDict):
    """How late requests were begun that were due at a time. Latencies include it."""

    late_p99_ms: float
    late_max_ms: float


@with_config(ConfigDict(extra="forbid"))
class CrossCheckReading(TypedDict):
    """The values that the cross-check measured on the same start of the service."""

    # Name and version.
    generator: str
    # Whether it ran before Tacho's own load generator.
    is_first: bool
    metrics: dict[Metric, float]


@with_config(ConfigDict(extra="forbid"))
class HostDisk(TypedDict):
    """A disk that the trials and builds of a bench host fill, by what it holds.

    `needed_bytes` is the free space with less of which the host takes no trials.
    """

    name: HostFolder
    size_bytes: _Bytes
    free_bytes: _Bytes
    needed_bytes: _Bytes


def _one_of(values: type[StrEnum]) -> object:
    """Return the limit of a text that is a value of an enumeration."""
    return Field(pattern=f"^({'|'.join(map(re.escape, values))})$")


# In the kernel's format; see `backend.core.cpus.parse_cpu_list`.
_CpuList = Annotated[str, Field(pattern=r"^[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*$")]


@with_config(ConfigDict(extra="allow"))
class HostFingerprint(TypedDict, total=False):
    """A bench host as its kernel describes it. Hosts of older versions lack some values."""

    cpu_model: str
    cpu_flags_digest: str
    logical_cores: int
    architecture: str
    cpu_governor: str
    cpu_frequency_driver: str
    cpu_frequency_min_khz: str
    cpu_frequency_max_khz: str
    cpu_energy_preference: str
    cpu_turbo: str
    threads_per_core: int
    # CPU lists in the kernel's format, by role.
    cpus: dict[str, _CpuList]
    # The cores of each role in words, and sentences about what the CPU sets do to the numbers.
    cpu_layout: dict[str, str]
    cpu_notes: list[str]
    service_cores: int
    memory_bytes: int
    kernel: str
    runtime: str
    engine: str
    engine_version: str
    # Of `Isolation`; absent in results of older versions.
    isolation: Annotated[str, _one_of(Isolation)]
    # Of `BuildNetwork`. Older versions stored only `host`.
    build_network: Annotated[str, _one_of(BuildNetwork)]
    # True if it refuses to send load, because it has no sandbox for it; absent otherwise.
    refuses_load: bool
    # Why the memory of services is not limited, as the end of a sentence; absent if it is.
    memory_fault: str
    # Source of the base images; absent if services run as processes.
    bases: Annotated[str, Field(pattern="^(official|debian)$")]
    # Versions by name; empty if services bring their own.
    toolchains: dict[str, str]
    cgroup_version: int
    mitigations: dict[str, str]
    virtualisation: str
    clock_source: str


@with_config(ConfigDict(extra="allow"))
class NetworkMeasurement(TypedDict):
    """The network from a load host to a service: round trips (ms) and throughput (Mbit/s).

    `send_mbps` is the direction of requests, `receive_mbps` that of responses.
    """

    round_trips: int
    min_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float
    send_mbps: float
    receive_mbps: float


class TrialLoadHost(TypedDict):
    """A host that sent load in a trial: its fingerprint's digest, CPUs, and network."""

    name: str
    host_digest: str
    cpus: list[int]
    network: NetworkMeasurement


class TrialEnvironment(TypedDict, total=False):
    """The conditions of a trial. It is empty before the load; older trials lack some values."""

    host: HostFingerprint
    host_digest: str
    harness: Harness
    harness_digest: str
    runtime: RuntimeKind
    # CPU numbers by role, and sentences about what they do to the numbers: roles that share a core,
    # or a service with one core.
    cpus: dict[str, list[int]]
    cpu_sharing: list[str]
    # Sentences if the services were not isolated from the host, or their memory was not limited.
    isolation_notes: list[str]
    # The hosts that sent the load, in their order; missing if it came from this host.
    load_hosts: list[TrialLoadHost]
    # Missing if the load came from this host.
    service_network: ServiceNetwork
    # Missing in trials of older versions, whose latencies count from the send.
    latency_from: LatencyStart
    resource_source: str
    framework_digest: str
    builds: Builds
    scenario_digest: str
    image: str | None
    # The engine's content digests of service, peers and backing services, by slug. Not a
    # difference: two builds of the same files have different ones.
    image_ids: dict[str, str]
    # References of the images that these were built on, with digests, by slug. Builds with other
    # references have other digests.
    base_images: dict[str, list[str]]
    memory_limit_mb: int
    # Variables that set up the language runtimes of service and peers, by program. They follow from
    # CPUs, memory limit and version of Tacho. Missing in trials of older versions, which had none.
    language_settings: dict[str, str]
    # Git commit of Tacho's files. Not a difference: digests state what changed.
    commit: str


class FrameworkLinks(TypedDict):
    website: str
    source: str | None


@with_config(ConfigDict(extra="allow"))
class FrameworkDocument(TypedDict):
    """The manifest of a framework, with the keys that are read without parsing all of it."""

    slug: str
    name: str
    language: str
    description: str
    concurrency: str
    mode: str
    licence: str
    links: FrameworkLinks
    # Versions of its parts, by name.
    versions: dict[str, str]
    # Manifests that were stored before frameworks had further versions lack it.
    version_of: NotRequired[str | None]
    scenarios: dict[str, object]


@with_config(ConfigDict(extra="forbid"))
class DeliveryAttempt(TypedDict):
    """An attempt to deliver a webhook message, with the beginning of the response."""

    at: str
    status: int | None
    error: str | None
    duration_ms: float
    excerpt: str


@dataclass(frozen=True)
class Step:
    """One step. Latencies are those of successful requests, None without any.

    `offered` counts the requests that were due, sent or dropped; `success_ratio` is the successful
    share of those.
    """

    step: int
    target_rps: int
    offered: int
    requests: int
    failed: int
    dropped: int
    success_ratio: float
    throughput_rps: float
    latency_p50_ms: float | None
    latency_p90_ms: float | None
    latency_p99_ms: float | None
    latency_mean_ms: float | None
    cpu_us_per_request: float | None
    passed: bool


@dataclass(frozen=True)
class TrialSteps:
    """The steps of one trial."""

    repetition: int
    steps: list[Step]


@dataclass(frozen=True)
class Precision:
    """How precise the estimates of a metric must be: half the width of their intervals."""

    metric: Metric
    percent: float


@dataclass(frozen=True)
class RunGoal:
    """When a run stops, instead of after a fixed number of trials.

    Without `precision`, the run stops as soon as its results are ranked. `max_trials` is per cell.
    `max_minutes` counts from the first start of a service, without builds.
    """

    max_trials: int
    max_minutes: int
    precision: Precision | None = None


@dataclass(frozen=True)
class GoalJudgement:
    """How far a run with a goal was after its last complete block.

    Attributes:
        blocks: the number of complete blocks.
        undecided: positions of cells: pairs that are not ranked yet, or single cells that are not
            precise enough yet.
        more_trials: estimated number of further trials per cell until the goal is reached. None if
            it is reached, or if no number is enough.
        is_least: whether `more_trials` is only the least number with which the goal can be judged.
        statement: what a run shows that reached its goal, without figures.
        obstacles: why results are left out, if too few are left.
        failures: number of failed judgements since the last block.
    """

    state: GoalState
    blocks: int
    undecided: Sequence[Sequence[int]] = ()
    more_trials: int | None = None
    is_least: bool = False
    statement: str | None = None
    obstacles: Sequence[str] = ()
    failures: int = 0


# Requests are made by callers, not parsed: validate them when they are stored.
_REVALIDATED = ConfigDict(revalidate_instances="always")


@with_config(_REVALIDATED)
@dataclass(frozen=True)
class CellRequest:
    """A requested cell, not yet checked."""

    framework: str
    scenario: str
    profile: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    # Digests of earlier builds to reuse.
    builds: Builds | None = None
    # The digest that the framework must have, or its first characters.
    framework_digest: str | None = None


@with_config(_REVALIDATED)
@dataclass(frozen=True)
class RunRequest:
    """A requested run, not yet checked; `host` None means the host with the shortest queue.

    A run has either a number of trials or a goal. With `hosts`, it is a group of runs: one on each
    of these hosts, or on every suitable host.
    """

    cells: Sequence[CellRequest]
    trials: int | None = None
    title: str | None = None
    host: str | None = None
    # Names of the hosts that send the load; empty: the host of the services sends it.
    load_hosts: Sequence[str] = field(default_factory=list)
    visibility: Visibility = Visibility.UNLISTED
    purpose: Purpose = Purpose.COMPARISON
    # Slug and variant of the study that the run reproduces.
    study: tuple[str, StudyVariant] | None = None
    goal: RunGoal | None = None
    hosts: Sequence[str] | Literal["each"] | None = None
    # Seed of the order of the trials; None for a random one.
    seed: int | None = None

    @property
    def named_hosts(self) -> set[str]:
        """Names of the hosts that run its services or send its load."""
        own = [] if self.host is None else [self.host]
        several = [] if self.hosts is None or self.hosts == EACH else self.hosts
        return {*own, *several, *self.load_hosts}

    def rename_host(self, name: str, new_name: str) -> "RunRequest":
        """Return the request with another name of a host."""

        def renamed(names: Sequence[str]) -> list[str]:
            return [new_name if known == name else known for known in names]

        is_listed = self.hosts is not None and self.hosts != EACH
        return replace(
            self,
            host=new_name if self.host == name else self.host,
            hosts=renamed(self.hosts or ()) if is_listed else self.hosts,
            load_hosts=renamed(self.load_hosts),
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the request, to distinguish a repeated request from a different one."""
        request = asdict(self)
        for name in ("study", "goal", "hosts", "seed"):
            # Digests of requests without these must not change: they are stored.
            if request[name] is None:
                del request[name]
        if not request["load_hosts"]:
            del request["load_hosts"]
        for cell in request["cells"]:
            if cell["framework_digest"] is None:
                del cell["framework_digest"]
        return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
