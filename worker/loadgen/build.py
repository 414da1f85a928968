"""Build the load generator from its source in `k6/`, once per state of that source."""

import fcntl
import hashlib
import os
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.numbers import count_of
from backend.platform.disk import explain_full_disk, is_disk_full, mentions_full_disk
from backend.platform.processes.guard import guard_command

SOURCE = Path(__file__).parent / "k6"

_FLAGS = ("-trimpath", "-buildvcs=false", "-ldflags=-s -w")
# Disk space of the binary, rounded up.
_BINARY_BYTES = 100 * 1024**2
_SHOWN_LINES = 30


class LoadGeneratorBuildFailed(TachoError):
    """Go could not build the load generator; carries the end of its output."""

    code = "load_generator_build_failed"
    title = "The load generator does not build"


def ensure_k6(
    cache_dir: Path, go: str, on_progress: Callable[[str], None] = lambda _message: None
) -> Path:
    """Return the path of a static k6 binary of the present source, and build it if missing.

    Safe to call from several processes: one process builds, the others wait.

    Args:
        cache_dir: the binary is stored below it, as `k6/<digest of the source>/k6`.
        go: path of the Go tool, at least of the version in `k6/go.mod`.
        on_progress: called with a short text when the build makes progress.

    Raises:
        LoadGeneratorBuildFailed
    """
    binary = cache_dir.resolve() / "k6" / source_digest() / "k6"
    if binary.exists():
        return binary
    binary.parent.mkdir(parents=True, exist_ok=True)
    with _locked(binary.with_name("lock")):
        if not binary.exists():
            _build(go, binary, on_progress)
    return binary


def source_digest() -> str:
    """Return a digest of the binary's sources: Go files without tests, and module files."""
    digest = hashlib.sha256("\0".join(_FLAGS).encode())
    sources = [path for path in SOURCE.rglob("*.go") if not path.name.endswith("_test.go")]
    for path in sorted([*sources, SOURCE / "go.mod", SOURCE / "go.sum"]):
        content = path.read_bytes()
        name = path.relative_to(SOURCE).as_posix()
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock. The kernel releases it if this process dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(go: str, binary: Path, on_progress: Callable[[str], None]) -> None:
    on_progress("starting the compiler")
    with tempfile.TemporaryDirectory(dir=binary.parent) as scratch:
        built = Path(scratch) / "k6"
        _run_go([go, "build", "-v", *_FLAGS, "-o", str(built), "."], on_progress)
        built.rename(binary)  # no other process ever sees a part of it


def _explain_disk() -> str:
    data = get_settings().data
    # Go deletes what it could not write in full.
    if is_disk_full(data, below_bytes=_BINARY_BYTES):
        return explain_full_disk(data)
    return "the disk of Go's temporary files or of its cache is full. Free some space there"


def _run_go(command: list[str], on_progress: Callable[[str], None]) -> None:
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    tail: deque[str] = deque(maxlen=_SHOWN_LINES)
    compiled = 0
    limit_s, started = get_settings().build_seconds, time.monotonic()
    with subprocess.Popen(
        guard_command(command),
        cwd=SOURCE,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        overdue = threading.Timer(limit_s, process.terminate)
        overdue.start()
        try:
            for line in process.stdout:
                tail.append(line)
                if line.startswith("go: "):
                    on_progress(line.removeprefix("go: ").strip())
                else:
                    compiled += 1
                    on_progress(f"compiled {count_of(compiled, 'package')}")
        finally:
            overdue.cancel()
    if process.returncode != 0:
        log = "".join(tail)
        if time.monotonic() - started >= limit_s:
            raise LoadGeneratorBuildFailed(
                f"Building the load generator did not end within {limit_s} s and was stopped. "
                "Check the network, from which Go fetches modules, or set TACHO_BUILD_SECONDS to a "
                "higher number.",
                log=log,
            )
        if mentions_full_disk(log):
            raise LoadGeneratorBuildFailed(
                f"The load generator could not be built: {_explain_disk()}.", log=log
            )
        raise LoadGeneratorBuildFailed(f"`{' '.join(command)}` failed:\n{log}", log=log)
