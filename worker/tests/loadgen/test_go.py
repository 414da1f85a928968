"""Runs the Go tests that lie beside the load generator's source."""

import os
import subprocess

from worker.loadgen.build import SOURCE


def test_go_tests_pass(go: str) -> None:
    # -trimpath as in the build: Go then compiles k6's packages once for both.
    done = subprocess.run(
        [go, "test", "-trimpath", "./..."],
        cwd=SOURCE,
        env=os.environ | {"CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
