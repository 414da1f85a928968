"""Programs of other projects for tests, built from their Go modules."""

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path

from backend.platform.tools import get_tool, module_go


def find_program(source: Path) -> Path:
    """Return the path of the program of a folder with a Go module, which may not exist yet."""
    digest = hashlib.sha256()
    for name in ("main.go", "go.mod", "go.sum"):
        digest.update((source / name).read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacho"
    return cache / f"{source.name}-{digest.hexdigest()[:16]}"


def build_program(source: Path) -> Path:
    """Return the path of the program of a folder with a Go module, and build it if it is missing.

    Safe to call from several processes: one builds, the others wait.
    """
    program = find_program(source)
    program.parent.mkdir(parents=True, exist_ok=True)
    with program.with_name(f"{source.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            built = program.with_suffix(".new")
            subprocess.run(
                [get_tool(module_go(source)).path, "build", "-trimpath", "-o", str(built), "."],
                cwd=source,
                env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOWORK": "off"},
                check=True,
            )
            built.rename(program)
    return program
