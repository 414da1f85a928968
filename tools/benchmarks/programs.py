"""The Go programs of benchmarks, and the load generator of this machine's installation."""

import os
import subprocess
from pathlib import Path

from backend.core.config import get_settings
from backend.platform.tools import get_tool, module_go
from worker.loadgen.build import SOURCE, ensure_k6


def get_go() -> str:
    """Return the path of the Go tool that builds the load generator."""
    return get_tool(module_go(SOURCE)).path


def find_k6() -> Path:
    """Return the path of the load generator, which is built first if it is missing."""
    return ensure_k6(get_settings().data, get_go())


def build_program(go: str, source: Path, program: Path) -> Path:
    """Build the Go module in the folder `source`; return the path of the built program.

    Raises subprocess.CalledProcessError; Go's messages are on stderr.
    """
    subprocess.run(
        [go, "build", "-trimpath", "-o", str(program), "."],
        cwd=source,
        env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"},
        check=True,
    )
    return program
