"""Builds images with the engine's own builder, from a folder or from memory."""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import docker.errors
import requests

from backend.core.config import get_settings
from worker.runtime.base import MAX_PROCESSES, Artifact, BuildRequest
from worker.runtime.build_limits import BuildLimits, describe_excess
from worker.runtime.building import BoundedLog, run_build
from worker.runtime.docker.answers import BuildEvent, ImageDetails
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.build_network import open_engine_network
from worker.runtime.docker.build_watch import BuildWatch
from worker.runtime.docker.engine import EngineClient, connect, engine_errors
from worker.runtime.docker.images import event_lines, find_image
from worker.runtime.docker.notes import ImageNotes
from worker.runtime.docker.stored import LABEL_BASE
from worker.runtime.errors import BuildFailed, BuildGone, RuntimeFailure

OnLog = Callable[[str], None]
# The line in which the engine names the container of a step.
_STEP_CONTAINER = re.compile(r" *---> Running in ([0-9a-f]{12,})$")
# The line in which the engine names the image of a step.
_STEP_IMAGE = re.compile(r" *---> ([0-9a-f]{12})$")


def image_reference(request: BuildRequest) -> str:
    """Return the tag of a service's image."""
    return f"tacho/{request.slug}:{request.digest[:12]}"


class DockerBuild:
    """A build of a service's image, over a connection of its own."""

    def __init__(self, request: BuildRequest, bases: Bases, notes: ImageNotes) -> None:
        self._request = request
        self._bases = bases
        self._reference = image_reference(request)
        self._notes = notes
        self._step_ids: list[str] = []
        self._log = BoundedLog()
        self._container = ""
        self._limits = BuildLimits.read(get_settings())

    def run(self, on_log: OnLog, is_cancelled: Callable[[], bool]) -> Artifact:
        """Build unless the engine has it; raises `BuildFailed`, `BuildGone`, `CancelledByUser`."""
        with connect() as engine:
            if (image := find_image(engine, self._reference)) is not None:
                self._notes.touch(self._reference)
                return self._artifact(image, cached=True)
            if self._request.is_kept:
                raise BuildGone(self._request.slug, self._request.digest)
            started = time.monotonic()
            try:
                self._run(engine, on_log, is_cancelled)
            except BaseException:
                # The steps of a build that failed take space too. The disk may be full.
                with suppress(OSError):
                    self._notes.write(self._reference, step_ids=self._step_ids)
                raise
            self._notes.write(self._reference, time.monotonic() - started, self._step_ids)
            image = find_image(engine, self._reference)
            if image is None:
                # For example, if its disk became full at the last step.
                raise RuntimeFailure(
                    f"The engine has no {self._reference} after a build without an error. Look at "
                    "its log, and at the free space on its disk.",
                    log=self._log.text,
                )
            return self._artifact(image, cached=False)

    def _run(self, engine: EngineClient, on_log: OnLog, is_cancelled: Callable[[], bool]) -> None:
        disk_bytes = self._limits.disk_bytes
        with BuildWatch(MAX_PROCESSES, disk_bytes, lambda: self._stop(engine)) as watch:
            failure = None
            try:
                run_build(
                    self._request.slug,
                    lambda on_line: self._build(engine, watch, on_line),
                    self._log,
                    on_log,
                    is_cancelled,
                    lambda: self._stop(engine),
                    limit_s=get_settings().build_seconds,
                )
            except Exception as error:
                if not watch.has_excess:
                    raise
                failure = error
            # Reading a stream that another thread closed fails in many ways, or just ends.
            if watch.has_excess:
                reason = describe_excess(self._request.slug, disk_bytes)
                raise BuildFailed(reason, self._log.text) from failure

    def _build(self, engine: EngineClient, watch: BuildWatch, on_line: OnLog) -> None:
        recipe = self._request.docker
        with engine_errors(f"Preparing the bases of {self._request.slug}"):
            self._ensure_bases(engine, on_line)
        references = {name: self._bases.reference(name) for name in recipe.bases}
        arguments = {self._bases.get(name).variable: used for name, used in references.items()}
        network = open_engine_network(engine)
        with (
            tempfile.TemporaryDirectory(prefix="tacho-build-") as context,
            engine_errors(f"Building {self._reference}"),
        ):
            self._request.source.copy_to(Path(context))
            events = engine.build(
                path=context,
                dockerfile=recipe.dockerfile,
                tag=self._reference,
                buildargs={**arguments, **network.variables},
                labels={
                    "tacho.slug": self._request.slug,
                    "tacho.digest": self._request.digest,
                    **{f"{LABEL_BASE}{name}": used for name, used in references.items()},
                },
                network_mode=network.mode,
                container_limits={
                    "memory": self._limits.memory_bytes,
                    "memswap": self._limits.memory_bytes,
                    "cpusetcpus": ",".join(map(str, self._limits.cpus)),
                },
                # The proxies of the engine's own client (~/.docker/config.json).
                use_config_proxy=True,
                rm=True,
                forcerm=True,
                decode=True,
            )
            self._relay(events, watch, on_line)

    def _ensure_bases(self, engine: EngineClient, on_line: OnLog) -> None:
        """Build the bases that are missing, and note their use."""
        names = self._request.docker.bases
        built = self._bases.list_built(names)
        missing = [reference for reference in built if find_image(engine, reference) is None]
        for name in names:
            self._bases.ensure(engine, name, on_line)
        for reference in built:
            if reference in missing:
                self._notes.write(reference)
            else:
                self._notes.touch(reference)

    def _relay(self, events: Iterator[BuildEvent], watch: BuildWatch, on_line: OnLog) -> None:
        for line in event_lines(events, f"{self._request.slug} does not build", self._log):
            if begun := _STEP_CONTAINER.match(line):
                self._container = begun[1]
                watch.begin_step(begun[1])
            elif made := _STEP_IMAGE.match(line):
                self._step_ids.append(made[1])
            on_line(line)

    def _stop(self, engine: EngineClient) -> None:
        """End the build: once the stream is closed, the engine stops and removes its container.

        An engine behind a proxy may not notice, so the container is removed by its name as well.
        """
        engine.close_streams()
        if self._container:
            with suppress(docker.errors.APIError, requests.RequestException):
                engine.remove_container(self._container, v=True, force=True)

    def _artifact(self, image: ImageDetails, *, cached: bool) -> Artifact:
        labels = image["Config"].get("Labels") or {}
        note = self._notes.find(self._reference)
        return Artifact(
            self._reference,
            self._request.digest,
            note.build_seconds if note else 0.0,  # not built by this installation
            image["Size"],
            cached,
            image_id=image["Id"],
            # Images of versions before these labels have none.
            base_images=tuple(
                labels[name] for name in sorted(labels) if name.startswith(LABEL_BASE)
            ),
        )
