"""A release, installed and started with the commands of the operator guide."""

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

import httpx

from backend.platform.network import find_free_port
from tools.benchmarks.waiting import end_process
from tools.release.source import ReleaseError, run

# Long enough for a busy machine.
_START_SECONDS = 900.0
_STOP_SECONDS = 60.0
_POLL_SECONDS = 0.2


def check_digests(release: Path) -> None:
    """Compare the files of a release with `SHA256SUMS`. Raises ReleaseError if one differs."""
    run(release, "sha256sum", "--check", "--ignore-missing", "SHA256SUMS")


def install(wheel: Path, requirements: Path, folder: Path) -> str:
    """Install a wheel into a new environment, and return what `tacho --version` prints there."""
    venv.create(folder)
    uv, python = Path(sys.executable).with_name("uv"), folder / "bin" / "python"
    pip = (uv, "pip", "install", "--quiet", "--python", python)
    run(folder, *pip, "--require-hashes", "--requirement", requirements)
    run(folder, *pip, "--no-deps", wheel)
    return run(folder, folder / "bin" / "tacho", "--version").strip()


def start(environment: Path, folder: Path) -> float:
    """Run `tacho up` of an installed wheel in a folder, look at its pages, and stop it.

    Returns:
        The seconds until it was ready.

    Raises:
        ReleaseError: it ended by itself, did not become ready, or does not stop.
    """
    url = f"http://127.0.0.1:{(port := find_free_port())}"
    settings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TACHO_") and name not in {"DATABASE_URL", "REDIS_URL"}
    }
    output = folder / "up.log"
    begin = time.monotonic()
    with output.open("wb") as log:
        process = subprocess.Popen(
            [environment / "bin" / "tacho", "up"],
            cwd=folder,
            env=settings | {"TACHO_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while f"Tacho is ready at {url}" not in output.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() - begin > _START_SECONDS:
                raise ReleaseError(f"`tacho up` did not start:\n{output.read_text()[-4000:]}")
            time.sleep(_POLL_SECONDS)
        seconds = time.monotonic() - begin
        _check_pages(url)
        if "Building the load generator" in output.read_text(errors="replace"):
            raise ReleaseError("The installed Tacho builds the load generator, which it contains.")
    finally:
        if not end_process(process, _STOP_SECONDS):
            raise ReleaseError(f"`tacho up` did not stop in {_STOP_SECONDS:.0f} s.")
    if process.returncode != 0:
        raise ReleaseError(
            f"`tacho up` ended with {process.returncode}:\n{output.read_text()[-4000:]}"
        )
    return seconds


def _check_pages(url: str) -> None:
    with httpx.Client(base_url=url, trust_env=False) as client:
        health = client.get("/api/v1/health").json()
        page = client.get("/").text
        frameworks = client.get("/api/v1/frameworks").json()["items"]
    if health["status"] != "ok":
        raise ReleaseError(f"The installed Tacho is not healthy: {health}")
    if '<div id="root">' not in page:
        raise ReleaseError("The installed Tacho serves no home page. Does the wheel lack it?")
    if not frameworks:
        raise ReleaseError("The installed Tacho has no frameworks. Does the wheel lack services/?")
