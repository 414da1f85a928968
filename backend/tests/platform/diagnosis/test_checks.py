"""The findings of `tacho doctor`: each problem has a fix."""

from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT, Settings, get_settings
from backend.platform.diagnosis.checks import CheckVerdict, inspect_framework, inspect_machine
from backend.platform.diagnosis.engine import Engine, NoEngine, find_filter_fault, probe_engine

ENGINE = Engine("27.5.1", 2, "Debian GNU/Linux 13", 8)
NO_ENGINE = NoEngine("there is no /var/run/docker.sock", "Install one.")


def test_every_problem_has_a_fix(tmp_path: Path) -> None:
    findings = inspect_machine(Settings(data=tmp_path), NO_ENGINE)
    assert [finding.name for finding in findings if finding.verdict is CheckVerdict.OK]
    for finding in findings:
        assert finding.found
        assert finding.fix or finding.verdict is CheckVerdict.OK, finding
    engine = next(finding for finding in findings if finding.name == "Docker engine")
    assert (engine.verdict, engine.fix) == (CheckVerdict.LIMITED, NO_ENGINE.fix)


def test_frameworks_list_what_they_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue(ROOT / "services")
    manifest, _ = catalogue.get_framework("chain-spring-rabbitmq")
    recipes = catalogue.list_process_recipes(manifest)
    monkeypatch.setattr("backend.platform.diagnosis.checks.find_tool", lambda _: None)
    ability = inspect_framework(manifest.slug, recipes, "")
    assert ability.docker == ""
    assert "java" in ability.process
    assert "rabbitmq" in ability.process
    assert inspect_framework(manifest.slug, recipes, "no engine").docker == "no engine"


def test_a_missing_socket_has_a_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    answer = probe_engine()
    assert isinstance(answer, NoEngine)
    assert "docker.sock" in answer.reason
    assert "docker.io" in answer.fix


def test_a_file_that_is_not_a_socket_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "docker.sock").touch()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    answer = probe_engine()
    assert isinstance(answer, NoEngine)
    assert "docker group" in answer.fix


@pytest.mark.parametrize(
    ("options", "is_filtered"),
    [
        (["name=seccomp,profile=default"], True),
        (["name=apparmor", "name=seccomp,profile=builtin", "name=cgroupns"], True),
        (["name=seccomp,profile=/etc/docker/own.json"], True),
        (["name=seccomp,profile=unconfined"], False),
        (["name=apparmor"], False),
        (None, False),
    ],
)
def test_an_engine_without_a_filter_of_system_calls_is_reported(
    options: list[str] | None, is_filtered: bool
) -> None:
    fault = find_filter_fault(options)
    assert bool(fault) is not is_filtered
    engine = Engine("28.0", 2, "Debian", 8, fault)
    [check] = [
        check for check in inspect_machine(get_settings(), engine) if check.name == "Docker engine"
    ]
    assert check.verdict is (CheckVerdict.OK if is_filtered else CheckVerdict.LIMITED)


@pytest.mark.docker
def test_the_engine_here_answers() -> None:
    engine = probe_engine()
    assert isinstance(engine, Engine)
    assert engine.version[0].isdigit()
    assert engine.cgroup_version in {1, 2}
    assert engine.cpus >= 1
    assert engine.filter_fault == ""
