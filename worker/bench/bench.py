"""The bench host of this worker: its runtime, its CPUs and its fingerprint."""

import hashlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID, uuid4

import psutil
from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.catalog.service import register_host
from backend.core.catalog.sources import SourceTree, digest_sources
from backend.core.config import ROOT, Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import Harness, HostDisk, HostFingerprint
from backend.core.free_space import MIB, explain_shortage, read_disk
from backend.core.numbers import agree, join_words
from backend.core.runs.trials import repository
from backend.core.units import HostFolder, Isolation, RuntimeKind
from backend.platform.tools import (
    describe_tools,
    find_tool,
    get_tool,
    module_go,
    resolve_tools,
    tell_missing,
)
from backend.version import VERSION
from worker.bench.fingerprint import digest, find_commit, read_fingerprint
from worker.bench.isolation import check_build_network, check_isolation, explain_unlimited_memory
from worker.loadgen.build import SOURCE, ensure_k6, k6_path
from worker.runtime.base import CpuSets, Runtime
from worker.runtime.build_limits import NETWORK_WARNINGS
from worker.runtime.choice import choose_runtime, load_bases
from worker.runtime.cpus import plan_own_cpus, read_requested_cpus
from worker.runtime.docker import DockerRuntime
from worker.runtime.docker.bases import Bases
from worker.runtime.process import ProcessRuntime
from worker.runtime.process.sandbox import find_sandbox
from worker.transactions import run_transaction

_log = logging.getLogger(__name__)

# k6 runs without garbage collection up to its memory limit; a quarter of the host is plenty.
_LOAD_MEMORY_SHARE = 4


@dataclass(frozen=True)
class Bench:
    """The properties of a host that a trial needs."""

    host_id: UUID
    # TACHO_BENCH_HOST. The name may have been changed since.
    queue: str
    name: str
    runtime: Runtime
    runtime_reason: str
    cpus: CpuSets
    services_dir: Path
    bases: Bases | None
    fingerprint: HostFingerprint
    fingerprint_digest: str
    harness: Harness
    load_memory_bytes: int
    keeps_k6_summary: bool
    # The binary of the load generator, for loads that this host sends to other hosts.
    k6: Path
    # Whether it joined with a key. The dispatcher then runs on another machine.
    is_joined: bool = False
    # The address at which load hosts reach services on this host; empty if they cannot.
    service_address: str = ""
    # Of Tacho's own files; None for an installation without Git, such as an image.
    commit: str | None = None
    # Folders on the disks that trials and builds fill, by what they hold.
    folders: Mapping[HostFolder, Path] = field(default_factory=dict)
    # The catalogue of an own service; None for that of `services_dir`.
    own_catalogue: Catalogue | None = None

    def digest(self, source: SourceTree, recipe: DockerRecipe) -> str:
        """Return the SHA-256 (hex) of a service's files and, for images, of its base references.

        Raises:
            RuntimeUnavailable: a base has no digest yet, and its registry does not answer.
        """
        if self.bases is not None:
            self.bases.pin(recipe.bases)
        return self.digest_as_pinned(source, recipe)

    def digest_as_pinned(self, source: SourceTree, recipe: DockerRecipe) -> str:
        """Return the digest of builds that exist, without asking a registry.

        If a base was never resolved, no build has this digest.

        Raises:
            RuntimeUnavailable: the file of the resolved bases is damaged.
        """
        content = digest_sources([source])
        if self.bases is None:
            return content
        references = [self.bases.reference(name) for name in recipe.bases]
        return hashlib.sha256("\n".join([content, *references]).encode()).hexdigest()

    def find_disk_shortage(self) -> str:
        """Return which disk has too little free space for a trial; empty if none."""
        folders = {f"the {name}": folder for name, folder in self.folders.items()}
        return explain_shortage(folders, get_settings().host_free_mb, "TACHO_HOST_FREE_MB")

    def read_disks(self) -> list[HostDisk]:
        """Return the disks that trials and builds fill, with their free space."""
        needed_bytes = get_settings().host_free_mb * MIB
        disks: list[HostDisk] = []
        for name, folder in self.folders.items():
            space = read_disk(folder)
            disks.append(
                HostDisk(
                    name=name,
                    size_bytes=space.size_bytes,
                    free_bytes=space.free_bytes,
                    needed_bytes=needed_bytes,
                )
            )
        return disks

    def read_catalogue(self) -> Catalogue:
        """Read the catalogue again, because contributors edit it while the worker runs."""
        return self.own_catalogue or Catalogue(self.services_dir)


def survey_bench(settings: Settings) -> Bench:
    """Examine this host without writing to the database.

    Raises:
        RuntimeUnavailable: no runtime works here; the detail states the fix.
    """
    return _survey(settings, ensure_k6(settings.data, get_tool(module_go(SOURCE)).path))


def _survey(settings: Settings, k6: Path) -> Bench:
    """Examine this host, also before the load generator is built."""
    is_built = k6.exists()
    choice = choose_runtime(settings)
    bases = load_bases(settings, choice)
    runtime = _make_runtime(settings, k6, bases)
    info = runtime.describe()
    for note in explain_unlimited_memory(info.memory_fault):
        _log.warning("%s", note)
    plan = plan_own_cpus(read_requested_cpus(settings))
    for note in plan.notes:
        _log.warning("%s", note)
    toolchains = describe_tools() if runtime.kind is RuntimeKind.PROCESS else {}
    fingerprint = read_fingerprint(
        info,
        plan,
        toolchains,
        settings.cgroup_root,
        choice.flavour,
        runtime.build_network,
        refuses_load=_refuses_load(settings),
    )
    return Bench(
        host_id=uuid4(),
        queue=settings.bench_host,
        name=settings.bench_host,
        runtime=runtime,
        runtime_reason=choice.reason,
        cpus=plan.sets,
        services_dir=settings.services_dir,
        bases=bases,
        fingerprint=fingerprint,
        fingerprint_digest=digest(fingerprint),
        harness={"tacho": VERSION} | ({"k6_sha256": _digest_file(k6)} if is_built else {}),
        load_memory_bytes=psutil.virtual_memory().total // _LOAD_MEMORY_SHARE,
        keeps_k6_summary=settings.k6_summary,
        k6=k6,
        service_address=_find_service_address(settings, runtime) if is_built else "",
        commit=find_commit(ROOT),
        folders={HostFolder.DATA: settings.data, **runtime.list_folders()},
    )


def open_bench(settings: Settings) -> Bench:
    """Examine this host and register it with its sources.

    Raises:
        RuntimeUnavailable, ManifestInvalid.
    """
    return _register(settings, survey_bench(settings))


def announce_bench(settings: Settings) -> None:
    """Register this host before its load generator is built, so that runs can be queued on it.

    Raises:
        RuntimeUnavailable, ManifestInvalid.
    """
    _register(settings, _survey(settings, k6_path(settings.data)))


def _register(settings: Settings, bench: Bench) -> Bench:
    check_isolation(settings, Isolation(bench.fingerprint["isolation"]))
    check_build_network(settings, bench.runtime.build_network)
    catalogue = bench.read_catalogue()
    sources, unavailable = read_sources(catalogue), list_unavailable(bench.runtime, catalogue)
    with unit_of_work() as session:
        host = register_host(
            session,
            settings.bench_host,
            runtime=bench.runtime.kind,
            runtime_reason=bench.runtime_reason,
            fingerprint=bench.fingerprint,
            fingerprint_digest=bench.fingerprint_digest,
            harness=bench.harness,
            service_address=bench.service_address,
        )
        register_sources(session, host.id, sources, unavailable)
        is_joined = host.joined_at is not None
        return replace(bench, host_id=host.id, name=host.name, is_joined=is_joined)


def sweep(bench: Bench, recover: Callable[[Session], None] = lambda _: None) -> list[str]:
    """Remove the leftovers of attempts that no worker holds; return the trials' ids.

    Trials that are not in the database belong to another installation on the same engine.

    Args:
        recover: called first in the transaction that reads the attempts, if there are leftovers.
    """
    found = bench.runtime.list_attempts()
    if not found:
        return []

    def read(session: Session) -> tuple[set[str], set[tuple[str, int]]]:
        recover(session)
        known = repository.list_known_trials(session, {trial_id for trial_id, _ in found})
        return known, repository.list_held_attempts(session)

    known, held = run_transaction(read)
    left = sorted(attempt for attempt in found - held if attempt[0] in known)
    for trial_id, attempt in left:
        bench.runtime.remove_attempt(trial_id, attempt)
    return [trial_id for trial_id, _ in left]


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _make_runtime(settings: Settings, k6: Path, bases: Bases | None) -> Runtime:
    runtime: Runtime = (
        ProcessRuntime(k6, settings.data, resolve_tools())
        if bases is None
        else DockerRuntime(k6, bases, settings.data, settings.cgroup_root)
    )
    runtime.check()
    if warning := NETWORK_WARNINGS.get(runtime.build_network):
        _log.warning(warning)
    return runtime


def _refuses_load(settings: Settings) -> bool:
    """Return whether this host sends no load for other hosts; logs why."""
    sandbox, reason = find_sandbox(settings.data / "sandbox")
    if sandbox is not None or settings.allow_unisolated:
        return False
    _log.info("this host sends no load for other hosts: %s", reason)
    return True


def _find_service_address(settings: Settings, runtime: Runtime) -> str:
    """Return the address at which load hosts reach services here; empty if they cannot."""
    address = settings.service_address
    if address and (fault := runtime.find_remote_fault(address)):
        _log.warning("load hosts cannot reach services on this host: %s", fault)
        return ""
    return address


def list_unavailable(runtime: Runtime, catalogue: Catalogue) -> dict[str, str]:
    """Return the reasons why frameworks cannot run here, by slug; with Docker, all can run."""
    if runtime.kind is RuntimeKind.DOCKER:
        return {}
    return {
        slug: reason
        for slug, (manifest, _) in catalogue.frameworks.items()
        for recipe in catalogue.list_process_recipes(manifest)
        if (reason := _why_not(recipe))
    }


def _why_not(recipe: ProcessRecipe | None) -> str:
    if recipe is None:
        return "it runs only in Docker; install Docker and restart the worker."
    missing = [tell_missing(needed) for needed in recipe.requires if find_tool(needed) is None]
    if not missing:
        return ""
    are, them = agree(len(missing), "is", "are"), agree(len(missing), "it", "them")
    return (
        f"{join_words(missing)} {are} missing; install {them}, or Docker, and restart the worker."
    )
