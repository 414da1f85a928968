"""Bench hosts."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AliasPath, Field, StrictBool, StringConstraints

from backend.api.schemas import Name, RequestBody
from backend.core.bodies import Schema
from backend.core.statuses import HostStatus
from backend.core.units import BuildNetwork, Isolation, Metric, ProfileKind, RuntimeKind, Verdict


class HostState(StrEnum):
    """The current activity of a host.

    LEAVING: it takes no new trials, and is revoked when its current trial has ended.
    OUTDATED: its worker belongs to another version of Tacho, and waits until it is updated.
    """

    IDLE = "idle"
    BUSY = "busy"
    PAUSED = "paused"
    LEAVING = "leaving"
    LOW_DISK = "low_disk"
    OFFLINE = "offline"
    OUTDATED = "outdated"


class CpuSetsOut(Schema):
    """The CPU numbers that each role of a trial gets."""

    service: list[int] = Field(examples=[[0]])
    load: list[int] = Field(examples=[[1]])
    backing: list[int] = Field(examples=[[1]])
    layout: dict[str, str] | None = Field(
        None,
        examples=[{"service": "2 cores with 2 threads each, NUMA node 0"}],
        description="The cores of each role in words. Null if an older version of Tacho started "
        "the worker.",
    )
    sharing: list[str] = Field(
        description="Sentences about CPU sets that affect the numbers: roles share a core, the "
        "service has one core, or a role has fast and slow cores. Empty if none applies."
    )


class GeneratorOverheadOut(Schema):
    """Load generator overhead at a rate: latencies measured against a server that does nothing."""

    rate_rps: int = Field(examples=[1000])
    latency_p50_ms: float
    latency_p99_ms: float
    trials: int
    verdicts: list[Verdict]


class NoiseOut(Schema):
    """Variation of a metric between cells of the same framework and load."""

    metric: Metric
    framework: str = Field(
        description="Slug of the framework that was measured twice.", examples=["go-nethttp"]
    )
    scenario: str = Field(examples=["hello"])
    profile: str = Field(examples=["rate-quick"])
    variation: float = Field(
        validation_alias=AliasPath("noise", "variation"),
        description="Coefficient of variation from trial to trial.",
        examples=[0.012],
    )
    smallest_ratio: float = Field(
        description="Minimum detectable difference: a smaller ratio between two cells of `trials`"
        " trials may come from noise, or from the error of the load generator.",
        examples=[1.018],
    )
    instrument_ratio: float | None = Field(
        description="The part of `smallest_ratio` that comes from the disagreement of two load "
        "generators, 1 or more. Null if the calibration used only one load generator.",
        examples=[1.004],
    )
    trials: int = Field(
        validation_alias=AliasPath("noise", "trials"), description="Number of trials per cell."
    )
    aa_ratio: float = Field(
        validation_alias=AliasPath("noise", "aa_ratio"),
        description="The measured ratio between the cells, 1 or more.",
    )


class TruthOut(Schema):
    """A quantile of the known latencies of the reference service, and the reported latency."""

    rate_rps: int
    quantile: float = Field(examples=[0.99])
    expected_ms: float
    reported_ms: float
    is_within: bool = Field(description="Whether the difference is within 2 % + 0.3 ms.")


class DisagreementOut(Schema):
    """A metric of the reference service as two load generators measured it, in the same trials."""

    kind: ProfileKind = Field(examples=["rate"])
    metric: Metric = Field(examples=["latency_p50_ms"])
    generator: str = Field(
        description="Name and version of the load generator of the cross-check.",
        examples=["wrk 4.1.0"],
    )
    ours: float = Field(description="Geometric mean of what Tacho's load generator measured.")
    theirs: float = Field(description="The same for the cross-check.")
    ratio: float = Field(
        validation_alias=AliasPath("ratio", "estimate"),
        description="`ours` divided by `theirs`.",
        examples=[0.996],
    )
    low: float | None = Field(
        validation_alias=AliasPath("ratio", "low"),
        description="Lower bound of the ratio's 95 % confidence interval. Null with fewer than "
        "three trials.",
    )
    high: float | None = Field(validation_alias=AliasPath("ratio", "high"))
    size: float = Field(
        description="The disagreement: `ratio`, or its inverse if that is larger. Intervals of "
        "ratios are widened by it.",
        examples=[1.004],
    )
    trials: int = Field(validation_alias=AliasPath("ratio", "n"))


class CalibrationOut(Schema):
    measured_at: datetime
    permalink: str | None = Field(
        description="Id of the run of the calibration. Null if the caller may not see the run.",
        examples=["/r/k3v9q2mx4d"],
    )
    is_current: bool = Field(
        description="Whether the host and the harness are unchanged since then."
    )
    overheads: list[GeneratorOverheadOut] = Field(description="Ordered by rate.")
    noise: list[NoiseOut]
    truth: list[TruthOut]
    disagreements: list[DisagreementOut] | None = Field(
        description="Null if the calibration used only one load generator."
    )


HostName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"),
    Field(
        description="Letters, digits, dots, hyphens and underscores; at most 63.",
        examples=["bench-02"],
    ),
]


class HostChange(RequestBody):
    """Changes of a bench host. Fields that are missing or null stay as they are."""

    name: HostName | None = Field(
        None, description="The new name. Results, schedules and permalinks stay."
    )
    is_paused: StrictBool | None = Field(
        None,
        description="A paused host finishes its current trial and takes no new ones. Its runs "
        "wait.",
    )
    is_leaving: StrictBool | None = Field(
        None,
        description="A host that leaves finishes its current trial and takes no new ones. Then it "
        "is revoked. `false` takes this back, until the host is revoked.",
    )


class Reservation(RequestBody):
    """The workspaces that may use a bench host."""

    workspaces: list[Name] | None = Field(
        description="Slugs of the only workspaces that may use the host. Null: all workspaces may.",
        examples=[["web-team"]],
        max_length=1_000,
    )


class HostOut(Schema):
    id: UUID
    name: str = Field(examples=["bench-01"])
    state: HostState
    status: HostStatus = Field(
        description="The decision of operators. `paused`: the host takes no new trials, and its "
        "runs wait. `leaving`: it is revoked when its current trial has ended, and no new run may "
        "use it. `revoked`: no run may use it."
    )
    disk_shortage: str | None = Field(
        None,
        examples=[
            "Only 1.2 GiB are free on the disk of the data folder, and 3.0 GiB are needed "
            "(TACHO_HOST_FREE_MB). Free some space there."
        ],
        description="Which disk of the host or database has too little free space, and what to "
        "do. Until then the host takes no new trials, and its runs wait. Null if none.",
    )
    has_key: bool = Field(
        description="Whether the host joined with a key, so that it can be renamed and revoked."
    )
    runtime: RuntimeKind
    runtime_reason: str = Field(
        description="Why the worker chose this runtime and these base images.",
        examples=["An image registry answers the Docker engine."],
    )
    bases: Literal["official", "debian"] | None = Field(
        None,
        description="Base images of services: official images, or equivalent images built from "
        "Debian packages. Null if services run as processes.",
    )
    isolation: Isolation | None = Field(
        None,
        description="Separation of services from this host. Null if an older version of Tacho "
        "started the worker.",
    )
    uses_host_network_for_builds: bool = Field(
        False,
        description="Whether builds can reach programs on this host that listen on loopback "
        "addresses.",
    )
    build_network: BuildNetwork | None = Field(
        None,
        description="Machines that builds reach. proxy: only the filtering proxy. filtered: the "
        "Internet, but neither this host nor private networks. bridge: other machines, and this "
        "host at addresses that are not loopback addresses. host: all that the host reaches. Null "
        "if an older version of Tacho started the worker.",
    )
    memory_fault: str | None = Field(
        None,
        description="Why the memory of services is not limited on this host, as the end of a "
        "sentence. Null if it is limited.",
        examples=["the worker may not make control groups in /sys/fs/cgroup (Permission denied)"],
    )
    is_reserved: bool = Field(description="Whether only certain workspaces may use the host.")
    is_usable: bool = Field(
        description="Whether runs of the caller's workspace may use the host. A caller without a "
        "workspace may not use a reserved host."
    )
    accepts_remote_load: bool = Field(
        description="Whether other hosts can send the load of services on this host. The operator "
        "sets TACHO_SERVICE_ADDRESS for it."
    )
    queued_trials: int
    current_run_id: UUID | None = None
    fingerprint: dict[str, object] = Field(
        description="CPU model, cores, memory, kernel, engine, cgroup version, CPU sets …"
    )
    fingerprint_digest: str
    cpus: CpuSetsOut | None = Field(
        None, description="Null if an older version of Tacho started the worker."
    )
    unavailable: dict[str, str] = Field(
        description="Reason why a framework cannot run on this host, by slug of the framework."
    )
    faults: list[str] = Field(
        description="Frameworks and scenarios that the host registered and that are not valid, "
        "each with the reason. The catalogue leaves them out. Check the files of the host. If they "
        "are correct, somebody else may use its credentials: revoke the host, and let it join "
        "again.",
        examples=[["The scenario hello is not valid: profiles is required; add it."]],
    )
    seen_at: datetime
    calibration: CalibrationOut | None = Field(
        None,
        description="Results of `tacho doctor --calibrate`. Null before the first calibration of "
        "this host.",
    )
