"""Builds a service in a folder of its own, once per content digest."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from backend.core.config import get_settings
from backend.platform.disk import mentions_full_disk
from backend.platform.tools import choose_tool, tell_missing
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.building import BoundedLog, read_lines, run_build
from worker.runtime.errors import BuildFailed, BuildGone, RuntimeUnavailable
from worker.runtime.process.ledger import MARK, Ledger
from worker.runtime.process.spawn import spawn

_FINISHED = ".tacho-built.json"
_SECRETS = ("DATABASE_URL", "REDIS_URL")


def substitute(command: Sequence[str], tools: Mapping[str, str]) -> list[str]:
    """Return a command with `{node}` and similar words replaced by the paths of the tools."""
    words = []
    for word in command:
        for name, path in tools.items():
            word = word.replace("{" + name + "}", path)  # noqa: PLW2901
        words.append(word)
    return words


def choose_tools(request: BuildRequest, tools: Mapping[str, str]) -> dict[str, str]:
    """Return `tools`, with those that the recipe requires in a version that is new enough.

    Raises:
        RuntimeUnavailable: names the first tool that this host does not have.
    """
    if request.process is None:
        raise RuntimeUnavailable(
            f"{request.slug} has no [process] table in its manifest, so it runs in Docker only.",
            "Choose the docker runtime.",
        )
    chosen = dict(tools)
    for requirement in request.process.requires:
        tool = choose_tool(requirement)
        if tool is None:
            raise RuntimeUnavailable(
                f"{request.slug} needs {tell_missing(requirement)}, which this host does not have.",
                "Run `tacho doctor` to see how to get it.",
            )
        chosen[tool.name] = tool.path
    return chosen


def tool_environment(tools: Mapping[str, str], base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with the tools first on PATH, and with JAVA_HOME if there is a Java."""
    folders = dict.fromkeys(str(Path(path).parent) for path in tools.values())
    path = os.pathsep.join([*folders, base.get("PATH", os.defpath)])
    java = (
        {"JAVA_HOME": str(Path(tools["java"]).resolve().parent.parent)} if "java" in tools else {}
    )
    return {**base, **java, "PATH": path}


class ProcessBuild:
    """A build of a service."""

    def __init__(self, top: Path, request: BuildRequest, tools: Mapping[str, str]) -> None:
        self._request = request
        self._tools = tools
        name = f"{request.slug}-{request.digest[:12]}"
        self._folder = top / name
        # The place is part of it: another installation may build the same content at the same time.
        self._mark = f"build-{self._folder}"
        self._records = top / f"{name}.build"
        self._ledger = Ledger(self._records, self._mark)
        self._log = BoundedLog()

    def run(self, on_log: Callable[[str], None], is_cancelled: Callable[[], bool]) -> Artifact:
        """Build unless the build exists; raises `BuildFailed`, `BuildGone`, `CancelledByUser`."""
        finished = self._folder / _FINISHED
        if finished.exists():
            known = json.loads(finished.read_text(encoding="utf-8"))
            return self._artifact(known["build_seconds"], known["size_bytes"], cached=True)
        if self._request.is_kept:
            raise BuildGone(self._request.slug, self._request.digest)
        self._tools = choose_tools(self._request, self._tools)
        self._records.mkdir(parents=True, exist_ok=True)
        self._ledger.kill()  # left over from a build whose worker was killed
        started = time.monotonic()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._request.source.copy_to(self._folder)
        try:
            run_build(
                self._request.slug,
                self._build,
                self._log,
                on_log,
                is_cancelled,
                self._ledger.kill,
                limit_s=get_settings().build_seconds,
            )
        finally:
            shutil.rmtree(self._records, ignore_errors=True)
        if mentions_full_disk(self._log.text):
            # On a full disk, npm truncates files and still ends with exit code 0.
            raise BuildFailed(f"The build of {self._request.slug} met a full disk.", self._log.text)
        build_seconds = time.monotonic() - started
        size_bytes = folder_size_bytes(self._folder)
        note = finished.with_suffix(".new")
        note.write_text(
            json.dumps({"build_seconds": build_seconds, "size_bytes": size_bytes}), encoding="utf-8"
        )
        note.rename(finished)
        return self._artifact(build_seconds, size_bytes, cached=False)

    def _build(self, on_line: Callable[[str], None]) -> None:
        assert self._request.process is not None
        for command in self._request.process.build:
            self._run_step(substitute(command, self._tools), on_line)

    def _run_step(self, command: Sequence[str], on_line: Callable[[str], None]) -> None:
        on_line("$ " + " ".join(command))
        spawned = spawn(
            command,
            folder=self._folder,
            environment=self._environment(),
            cpus=(),
            place=self._ledger.add_process,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with spawned.process as process:
            assert process.stdout is not None
            try:
                for line in read_lines(process.stdout):
                    on_line(line)
            except BaseException:
                process.kill()  # the `with` statement waits for its end
                raise
        if process.returncode != 0:
            raise BuildFailed(
                f"{self._request.slug}: `{' '.join(command)}` ended with exit code "
                f"{process.returncode}; its log shows why.",
                self._log.text,
            )

    def _environment(self) -> dict[str, str]:
        """Return the worker's environment for mirrors and caches, without its secrets."""
        own = {
            key: value
            for key, value in os.environ.items()
            if key not in _SECRETS and not key.startswith("TACHO_")
        }
        return {**tool_environment(self._tools, own), MARK: self._mark}

    def _artifact(self, build_seconds: float, size_bytes: int, *, cached: bool) -> Artifact:
        digest = self._request.digest
        return Artifact(str(self._folder), digest, build_seconds, size_bytes, cached)


def folder_size_bytes(folder: Path) -> int:
    """Return the size of all regular files below a folder."""
    return sum(
        entry.lstat().st_size
        for entry in folder.rglob("*")
        if entry.is_file() and not entry.is_symlink()
    )
