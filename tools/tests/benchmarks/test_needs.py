"""Missing requirements of a benchmark are named with the fix."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.core.config import get_settings
from tools.benchmarks.needs import require_chromium, require_docker, require_oha, require_wrk


@pytest.mark.parametrize(
    ("require", "name", "value", "words"),
    [
        (
            require_docker,
            "DOCKER_HOST",
            "tcp://127.0.0.1:9",
            ("No Docker engine answers", "DOCKER_HOST"),
        ),
        (require_wrk, "PATH", "/nowhere", ("wrk", "apt-get install wrk")),
        (require_oha, "PATH", "/nowhere", ("oha", "Rust")),
        (require_chromium, "CHROMIUM", "/nowhere/chromium", ("/nowhere/chromium", "set CHROMIUM")),
    ],
)
def test_a_missing_requirement_is_named_with_the_fix(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    require: Callable[[], object],
    name: str,
    value: str,
    words: tuple[str, ...],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(name, value)

    with pytest.raises(SystemExit) as ended:
        require()

    assert all(word in str(ended.value) for word in words)


@pytest.mark.docker
def test_missing_control_groups_are_named_with_their_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHO_CGROUP_ROOT", str(tmp_path / "none"))
    get_settings.cache_clear()

    with pytest.raises(SystemExit, match="Set TACHO_CGROUP_ROOT"):
        require_docker()
