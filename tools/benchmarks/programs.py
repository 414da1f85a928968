"""Builds the Go programs of benchmarks."""

import os
import subprocess
from pathlib import Path


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
