"""Runs one attack, and finds what it gained and what it left behind."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID, uuid4

import psutil
from pydantic import ValidationError

from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe, list_problems
from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import FILE_NAME, parse_service_file
from backend.core.catalog.profiles import find_profile
from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.core.errors import ManifestInvalid, TachoError
from backend.core.units import RuntimeKind
from worker.bench.bench import Bench
from worker.runtime.base import Artifact, BuildRequest, Pod, PodRole, PodSpec, ServiceSpec
from worker.runtime.docker.engine import has_container
from worker.runtime.errors import BuildFailed
from worker.runtime.exit import Exit
from worker.stages.assignment import make_assignment
from worker.stages.context import TrialContext
from worker.stages.display import StageDisplay
from worker.stages.parts import SERVICE
from worker.stages.readiness import ReadinessWait
from worker.stages.runner import run_stages
from worker.stages.watch import Watch
from worker.verify.bait import LARGE_BYTES, Bait
from worker.verify.hostile import (
    Attack,
    AttackLimits,
    AttackStage,
    Containment,
    HostileGallery,
)

_PORT = 8080
_ATTACK_S = 90.0
_REMOVAL_S = 10.0
_POLL_S = 0.1
_MOST_LOG_BYTES = 300 * 1024
_AMOUNT = re.compile(r"^amount \w+ (\d+)$", re.MULTILINE)
_GAINED = re.compile(r"^gained (.+)$", re.MULTILINE)
_STEP = re.compile(r"---> Running in ([0-9a-f]{12,})")
_NO_RECIPE = DockerRecipe(bases=("go",), read_only=False)
_LINK = "stolen"
_LOAD = "main"
# The service is the program, already built.
_DESCRIPTION = """\
[service]
name = "{slug}"
memory_mb = 128

{recipe}

[loads.{load}]
{kind} = "{file}"
warm_up_seconds = 0
duration_seconds = 3
"""
_DOCKERFILE = """\
ARG BASE_GO
FROM ${BASE_GO}
COPY . /attack
WORKDIR /attack
RUN sh attack.sh
CMD ["sh", "run.sh"]
"""


@dataclass
class AttackOutcome:
    """The result of an attack.

    Attributes:
        containment: what contained it; None if it ended in no expected way.
        reason: the message that users see; for attacks that fail.
        gained: what it reached. Each entry is an escape.
        left_behind: what is still there after the attack.
        disturbed: why an honest service failed afterwards; empty if it did not.
    """

    containment: Containment | None = None
    reason: str = ""
    gained: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)
    disturbed: str = ""


class Attempt:
    """Attacks on one bench, with the artifact of the program that contains them."""

    def __init__(self, bench: Bench, gallery: HostileGallery, bait: Bait) -> None:
        self._bench = bench
        self._bait = bait
        program = gallery.program
        request = self._request(program.slug, gallery.source, program.docker)
        self._program = replace(request, process=program.process)
        self._requires = program.process.requires if program.process else ()
        self._artifact = self._build(self._program, [])

    def run(self, attack: Attack) -> AttackOutcome:
        """Run an attack, and then an honest service."""
        outcome, trial_id, log = AttackOutcome(), uuid4(), [""]
        self._bait.forget_calls()
        children = _list_children()
        try:
            if attack.manifest.stage is AttackStage.SERVICE:
                self._attack_as_service(attack, trial_id, log, outcome)
            elif attack.manifest.stage is AttackStage.REPOSITORY:
                self._attack_as_repository(attack, log, outcome)
            else:
                self._attack_as_build(attack, log, outcome)
        except Exception as error:  # noqa: BLE001 - an attack must not stop a worker
            outcome.gained.append(f"a failure of the worker: {error!r:.200}")
        self._judge_gains(attack, "\n".join(log), outcome)
        outcome.left_behind = self._find_left(
            str(trial_id), _STEP.findall("\n".join(log)), children
        )
        outcome.disturbed = self._try_honest()
        return outcome

    def _attack_as_service(
        self, attack: Attack, trial_id: UUID, log: list[str], outcome: AttackOutcome
    ) -> None:
        with self._open_pod(trial_id) as pod:
            stopped = _run_attack(
                pod, self._specify(pod, attack.slug, attack.manifest.writes_folder), log
            )
            outcome.reason = f"The service {stopped.describe()}." if stopped else ""
        manifest, is_over = attack.manifest, stopped is not None or "attack ended" in log[-1]
        if manifest.most is not None:
            used = max(map(int, _AMOUNT.findall(log[-1])), default=0)
            outcome.reason = f"It used at most {used}. {outcome.reason}".strip()
            if is_over and used <= manifest.most:
                outcome.containment = Containment.LIMITED
        elif is_over and stopped is None:
            outcome.containment = Containment.NOTHING_GAINED

    def _attack_as_build(self, attack: Attack, log: list[str], outcome: AttackOutcome) -> None:
        with tempfile.TemporaryDirectory(prefix="tacho-hostile-") as scratch:
            try:
                self._build_and_use(attack, Path(scratch), log)
                outcome.containment = Containment.NOTHING_GAINED
            except ManifestInvalid as error:
                outcome.containment, outcome.reason = Containment.REFUSED, error.detail
            except ValidationError as error:  # of the recipe, which is a part of manifests
                outcome.containment = Containment.REFUSED
                problems = [
                    f"{fault['field']}: {fault['detail']}" for fault in list_problems(error)
                ]
                outcome.reason = f"{attack.slug}: {'; '.join(problems)}"
            except BuildFailed as error:
                outcome.containment, outcome.reason = Containment.STOPPED, error.detail
                log.append(error.log)
                if attack.slug not in error.detail:
                    outcome.gained.append("its reason does not name the service")
        self._remove_stored(attack, outcome)

    def _attack_as_repository(self, attack: Attack, log: list[str], outcome: AttackOutcome) -> None:
        with (
            tempfile.TemporaryDirectory(prefix="tacho-hostile-") as scratch,
            _limits(attack.manifest.limits, self._bait.secret),
        ):
            try:
                self._load_repository(attack, Path(scratch), log)
                outcome.containment = Containment.NOTHING_GAINED
            except ManifestInvalid as error:
                outcome.reason = error.detail
                if attack.manifest.link and _LINK in error.detail:
                    outcome.containment = Containment.REFUSED
            except TachoError as error:
                outcome.containment, outcome.reason = Containment.STOPPED, error.detail
        log.append(outcome.reason)
        self._remove_stored(attack, outcome)

    def _load_repository(self, attack: Attack, scratch: Path, log: list[str]) -> None:
        """Write the repository of an own service, and send its load."""
        source = scratch / "repository"
        self._write_repository(attack, source)
        file = parse_service_file(source / FILE_NAME)
        catalogue = OwnCatalogue(
            self._bench.services_dir, file, source, file, source, scratch / "scripts"
        )
        scenario, _ = catalogue.get_scenario(_LOAD)
        profile = find_profile(scenario, None)
        assert profile is not None
        assignment = make_assignment(catalogue.slug, _LOAD, profile, {})
        bench = replace(self._bench, own_catalogue=catalogue)
        with Watch(assignment.trial_id, is_stopping=lambda: False) as watch:
            display = StageDisplay(lambda _stage: None)
            context = TrialContext(bench, assignment, display, watch)
            try:
                run_stages(context, lambda *_outputs: None)
            finally:
                log += context.logs.values()

    # trusted paths: no attack runs in this folder, only in a copy
    def _write_repository(self, attack: Attack, folder: Path) -> None:
        manifest, hints = attack.manifest, self._bait.hints
        folder.mkdir(parents=True)
        name = next(name for name in manifest.files if name.startswith("load."))
        recipe = f'[docker]\nimage = "{self._artifact.reference}"'
        if self._bench.runtime.kind is RuntimeKind.PROCESS:
            recipe = '[process]\nrun = ["./service"]'
            shutil.copy2(Path(self._artifact.reference) / "service", folder)
        text = _DESCRIPTION.format(
            slug=attack.slug,
            recipe=recipe,
            load=_LOAD,
            kind="script" if name.endswith(".js") else "http",
            file=name,
        )
        (folder / FILE_NAME).write_text(text)
        for path, content in manifest.files.items():
            (folder / path).write_text(_fill(content, hints))
        if manifest.link:
            (folder / _LINK).symlink_to(_fill(manifest.link, hints))

    def _build_and_use(self, attack: Attack, scratch: Path, log: list[str]) -> None:
        """Build twice, so that the build is found the second time, and use the build."""
        manifest = attack.manifest
        request = self._write(attack, scratch / "first" / attack.slug, manifest.script)
        with _limits(manifest.limits, self._bait.secret):
            artifact = self._build(request, log)
            artifact = self._build(request, log)
            if manifest.again:
                request = self._write(attack, scratch / "again" / attack.slug, manifest.again)
                request = replace(request, process=self._recipe(self._requires))
                artifact = self._build(request, log)
        if artifact.size_bytes >= LARGE_BYTES and self._bench.runtime.kind is RuntimeKind.PROCESS:
            log.append("gained the size of a folder elsewhere")
        if manifest.run:
            with self._open_pod(uuid4()) as pod:
                port = pod.reserve_port(_PORT)
                memory_mb = request.docker.memory_mb
                _run_attack(
                    pod,
                    ServiceSpec(SERVICE, PodRole.SERVICE, artifact, request, port, {}, memory_mb),
                    log,
                )

    # trusted paths: no attack runs in this folder, only in a copy
    def _write(self, attack: Attack, folder: Path, script: str) -> BuildRequest:
        """Write the files of a hostile build; return its request."""
        manifest, hints = attack.manifest, self._bait.hints
        folder.mkdir(parents=True)
        (folder / "attack.sh").write_text((_fill(script, hints) or "true") + "\n")
        (folder / "run.sh").write_text(_fill(manifest.run, hints) + "\necho attack ended\n")
        (folder / "Dockerfile").write_text(_DOCKERFILE)
        if manifest.link:
            (folder / _LINK).symlink_to(_fill(manifest.link, hints))
        recipe = _NO_RECIPE
        if manifest.dockerfile:
            dockerfile = _fill(manifest.dockerfile, hints)
            recipe = DockerRecipe(bases=("go",), dockerfile=dockerfile)
        return self._request(attack.slug, SourceTree(folder), recipe)

    def _request(self, slug: str, source: SourceTree, docker: DockerRecipe) -> BuildRequest:
        digest = self._bench.digest(source, docker)
        return BuildRequest(slug, source, digest, docker, self._recipe(()))

    def _recipe(self, requires: tuple[str, ...]) -> ProcessRecipe:
        return ProcessRecipe(requires=requires, build=(("sh", "attack.sh"),), run=("sh", "run.sh"))

    def _build(self, request: BuildRequest, log: list[str]) -> Artifact:
        return self._bench.runtime.build(request, log.append, lambda: False)

    def _remove_stored(self, attack: Attack, outcome: AttackOutcome) -> None:
        """Remove what hostile builds produced, as the cleanup of a bench host does."""
        name = re.compile(rf"(.*/)?{attack.slug}([-:][0-9a-f]{{12}})?(\.[a-z]+)?")
        for item in self._bench.runtime.list_stored():
            if not name.fullmatch(item.name):
                continue
            try:
                item.remove()
            except Exception as error:  # noqa: BLE001 - a build caused it
                outcome.left_behind.append(f"{item.name} cannot be removed: {error!r}")

    def _open_pod(self, trial_id: UUID) -> Pod:
        return self._bench.runtime.open_pod(PodSpec("hostile", str(trial_id), self._bench.cpus))

    def _specify(self, pod: Pod, attack: str, writes_folder: bool = False) -> ServiceSpec:
        program = self._program
        if writes_folder:
            docker = program.docker.model_copy(update={"read_only": False})
            program = replace(program, docker=docker)
        hints = {f"HINT_{name.upper()}": text for name, text in self._bait.hints.items()}
        return ServiceSpec(
            SERVICE,
            PodRole.SERVICE,
            self._artifact,
            program,
            pod.reserve_port(_PORT),
            {**hints, "ATTACK": attack},
            program.docker.memory_mb,
        )

    def _judge_gains(self, attack: Attack, log: str, outcome: AttackOutcome) -> None:
        bait = self._bait
        outcome.gained += _GAINED.findall(log)
        if bait.secret in log:
            outcome.gained.append("a planted secret")
        outcome.gained += bait.find_changes()
        bait.restore()
        if bait.loopback_calls:
            outcome.gained.append("the API on a loopback address")
        if bait.address_calls:
            outcome.gained.append("the API on an address of the host")
        if bait.socket_calls:
            outcome.gained.append("the socket of the database")
        if bait.sentinel.poll() is not None:
            outcome.gained.append("the end of a process of the worker")
        if len(log.encode()) > _MOST_LOG_BYTES and attack.manifest.stage is AttackStage.SERVICE:
            outcome.gained.append(f"a log of {len(log.encode())} bytes")

    def _find_left(self, trial_id: str, steps: Sequence[str], children: set[int]) -> list[str]:
        """Return what is left of an attack. A killed process needs a moment to end."""
        end = time.monotonic() + _REMOVAL_S
        while (found := self._list_left(trial_id, steps, children)) and time.monotonic() < end:
            time.sleep(_POLL_S)
        return found

    def _list_left(self, trial_id: str, steps: Sequence[str], children: set[int]) -> list[str]:
        hints = self._bait.hints
        marks = (hints["mark"], hints["mark_seconds"])
        left = [f"process {pid}" for pid in _find_marked(marks)]
        left += [f"child {pid}" for pid in _list_children() - children]
        left += [
            f"attempt of trial {trial}"
            for trial, _ in self._bench.runtime.list_attempts()
            if trial == trial_id
        ]
        left += [f"container {step}" for step in steps if has_container(step)]
        root = get_settings().cgroup_root
        # trusted path: control groups of the kernel
        left += [str(path) for path in root.glob(f"*/tacho/*{trial_id}*")]
        return left

    def _try_honest(self) -> str:
        """Return why an honest service fails now; empty if it answers."""
        trial_id = uuid4()
        try:
            with (
                Watch(trial_id, is_stopping=lambda: False) as watch,
                self._open_pod(trial_id) as pod,
            ):
                spec = self._specify(pod, "")
                wait = ReadinessWait(pod, f"http://127.0.0.1:{spec.port}")
                wait.await_polling()
                pod.start(spec)
                wait.await_ready(SERVICE, watch)
        except TachoError as error:
            return error.detail
        return ""


def _run_attack(pod: Pod, spec: ServiceSpec, log: list[str]) -> Exit | None:
    """Run a hostile service until it reports that its attack ended; return its end, if it ended."""
    pod.start(spec)
    end = time.monotonic() + _ATTACK_S
    while pod.is_running(SERVICE) and time.monotonic() < end:
        if "attack ended" in pod.logs(SERVICE)[-200:]:
            break
        time.sleep(_POLL_S)
    log.append(pod.logs(SERVICE))
    return pod.find_exit(SERVICE)


def _fill(text: str, hints: Mapping[str, str]) -> str:
    for name, hint in hints.items():
        text = text.replace("{" + name + "}", hint)
    return text


def _list_children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def _find_marked(marks: tuple[str, ...]) -> list[int]:
    """Return the processes with a mark in their command or environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            texts = [*process.cmdline(), *process.environ().values()]
            is_own = process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE
            if not is_own and any(mark in text for text in texts for mark in marks):
                found.append(process.pid)
    return found


@contextmanager
def _limits(limits: AttackLimits, secret: str) -> Iterator[None]:
    """Limit builds, and give this process a secret that no build may know."""
    changed = {
        "AWS_SECRET_ACCESS_KEY": secret,
        "TACHO_BUILD_SECONDS": str(limits.seconds),
        "TACHO_BUILD_MEMORY_MB": str(limits.memory_mb),
        "TACHO_BUILD_DISK_MB": str(limits.disk_mb),
    }
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    get_settings.cache_clear()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        get_settings.cache_clear()
