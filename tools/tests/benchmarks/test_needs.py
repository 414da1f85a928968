"""Benchmarks report missing requirements with the fix before they build or measure anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backend.core.config import ROOT


def run_benchmark(name: str, data: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a benchmark in a separate process, and assert that it does not change `data`."""
    return subprocess.run(
        [sys.executable, "-m", f"tools.benchmarks.{name}"],
        cwd=ROOT,
        env={**os.environ, "TACHO_DATA": str(data), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "variables", "words"),
    [
        ("trial", {"DOCKER_HOST": "unix:///nowhere"}, ("No Docker engine answers", "DOCKER_HOST")),
        ("wrk", {"PATH": "/nowhere"}, ("wrk", "apt-get install wrk")),
        ("loadgen", {"PATH": "/nowhere"}, ("wrk", "apt-get install wrk")),
        ("remote", {"PATH": "/nowhere"}, ("ip is missing", "apt-get install iproute2")),
        ("ui", {"CHROMIUM": "/nowhere/chromium"}, ("/nowhere/chromium", "set CHROMIUM")),
    ],
)
def test_missing_requirements_are_named_with_the_fix(
    tmp_path: Path, name: str, variables: dict[str, str], words: tuple[str, ...]
) -> None:
    done = run_benchmark(name, tmp_path / "data", **variables)

    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert all(word in message for word in words), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.docker
def test_missing_control_groups_are_named_with_their_setting(tmp_path: Path) -> None:
    done = run_benchmark("trial", tmp_path / "data", TACHO_CGROUP_ROOT=str(tmp_path / "none"))

    assert done.returncode == 1
    assert "Set TACHO_CGROUP_ROOT" in done.stderr
    assert not (tmp_path / "data").exists()


def test_loadgen_without_oha_and_cargo_names_both(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "wrk").touch(mode=0o755)

    done = run_benchmark(
        "loadgen",
        tmp_path / "data",
        PATH=str(programs),
        HOME=str(tmp_path),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )

    assert done.returncode == 1
    assert "Install oha, or Rust" in done.stderr


def test_an_installation_has_at_least_the_runs_that_its_pages_need(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.installation", "--runs", "10"],
        cwd=ROOT,
        env={**os.environ, "TACHO_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "at least 50" in done.stderr
