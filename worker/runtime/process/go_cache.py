"""The Go cache that builds begin with: Go's own HTTP library, compiled by Tacho.

Each service has a cache of its own, so that no build can change the result of another one. Without
this beginning, each first build would compile the same library for half a minute.
"""

import hashlib
import logging
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

_log = logging.getLogger(__name__)

_LIBRARY = "net/http"
_LIMIT_S = 600
_CACHE = Path(".cache/go-build")
SEED_PREFIX = "go-cache-"


# trusted paths: only Tacho writes the seeds, and no build has seen the home
def seed_go_cache(seeds: Path, go: str, home: Path) -> None:
    """Copy the compiled library into a new home, which no build has seen yet.

    If that fails, log the reason: the build then compiles the library by itself.
    """
    target = home / _CACHE
    try:
        seed = seeds / f"{SEED_PREFIX}{_digest_version(go)}"
        if not seed.is_dir():
            _compile(go, seed)
        with suppress(PermissionError):  # another user may have compiled it
            os.utime(seed)
        target.parent.mkdir()
        shutil.copytree(seed, target)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(target, ignore_errors=True)
        _log.warning("builds begin without a Go cache: %s", error)


def _digest_version(go: str) -> str:
    version = subprocess.run(
        [go, "env", "GOVERSION", "CC", "CGO_ENABLED"],
        capture_output=True,
        check=True,
        timeout=_LIMIT_S,
        cwd="/",
    ).stdout
    return hashlib.sha256(version).hexdigest()[:12]


# trusted paths: only Tacho writes the seeds
def _compile(go: str, seed: Path) -> None:
    unfinished = seed.with_name(f"{seed.name}.{os.getpid()}")
    unfinished.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(
            [go, "build", _LIBRARY],
            env={**os.environ, "GOCACHE": str(unfinished), "GOFLAGS": "", "GOWORK": "off"},
            capture_output=True,
            check=True,
            timeout=_LIMIT_S,
            cwd="/",
        )
        unfinished.rename(seed)
    except OSError:
        if not seed.is_dir():  # otherwise another process has made it at the same time
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
