"""Build the load generator from its source in `k6/`, once per state of that source."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ASSETS, get_settings
from backend.core.errors import TachoError
from backend.core.numbers import count_of
from backend.platform.disk import explain_full_disk, is_disk_full, mentions_full_disk
from backend.platform.processes.guard import guard_command

SOURCE = Path(__file__).parent / "k6"

# In a wheel and in an image, a cache folder with the binary.
_PREBUILT = ASSETS / "prebuilt"

_FLAGS = ("-trimpath", "-buildvcs=false", "-ldflags=-s -w")
# Disk space of the binary, rounded up.
_BINARY_BYTES = 100 * 1024**2
_SHOWN_LINES = 30
# A build from nothing compiles as many packages (`go list -deps .`).
_PACKAGES = 800
# Of the time of a build, until the last package is compiled. The rest links them.
_COMPILING_SHARE = 0.95
# Whatever else starts at the same time is needed before the load generator.
_AFTER_OTHERS = ("nice", "-n", "10")


@dataclass(frozen=True)
class BuildProgress:
    """The present step of a build, and the share of its work that is done, 0 to 1."""

    doing: str
    share: float


class LoadGeneratorBuildFailed(TachoError):
    """Go could not build the load generator; carries the end of its output."""

    code = "load_generator_build_failed"
    title = "The load generator does not build"


def find_k6(cache_dir: Path) -> Path | None:
    """Return the path of the binary of the present source; None if it has to be built.

    The binary of a wheel or an image is copied, because Tacho may not write its folder.
    """
    binary = k6_path(cache_dir)
    if not binary.exists():
        _copy_packaged(binary)
    return binary if binary.exists() else None


def k6_path(cache_dir: Path) -> Path:
    """Return the path of the binary of the present source, whether or not it is built."""
    return cache_dir.resolve() / "k6" / source_digest() / "k6"


def ensure_k6(
    cache_dir: Path, go: str, on_progress: Callable[[BuildProgress], None] = lambda _progress: None
) -> Path:
    """Return the path of a static k6 binary of the present source, and build it if missing.

    Safe to call from several processes: one process builds, the others wait.

    Args:
        cache_dir: the binary is stored below it, as `k6/<digest of the source>/k6`.
        go: path of the Go tool, at least of the version in `k6/go.mod`.
        on_progress: called when the build makes progress.

    Raises:
        LoadGeneratorBuildFailed
    """
    found = find_k6(cache_dir)
    if found is not None:
        return found
    binary = k6_path(cache_dir)
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


def _copy_packaged(binary: Path) -> None:
    """Copy the binary of the wheel or of the image, if it is that of the present source."""
    packaged = k6_path(_PREBUILT)
    if not packaged.exists():
        return
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=binary.parent) as scratch:
        copy = Path(scratch) / "k6"
        shutil.copyfile(packaged, copy)
        copy.chmod(0o755)
        copy.rename(binary)  # no other process ever sees a part of it


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock. The kernel releases it if this process dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(go: str, binary: Path, on_progress: Callable[[BuildProgress], None]) -> None:
    on_progress(BuildProgress("starting the compiler", 0.0))
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


def _run_go(command: list[str], on_progress: Callable[[BuildProgress], None]) -> None:
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    tail: deque[str] = deque(maxlen=_SHOWN_LINES)
    compiled = 0
    limit_s, started = get_settings().build_seconds, time.monotonic()
    with subprocess.Popen(
        guard_command([*_AFTER_OTHERS, *command]),
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
                    on_progress(BuildProgress(line.removeprefix("go: ").strip(), 0.0))
                else:
                    compiled += 1
                    share = min(compiled / _PACKAGES, 1.0) * _COMPILING_SHARE
                    doing = f"compiled {count_of(compiled, 'package')}"
                    on_progress(BuildProgress(doing, share))
        except BaseException:
            process.terminate()
            raise
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
