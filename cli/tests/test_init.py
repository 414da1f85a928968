"""`tacho init`, which writes the first files of a repository."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner, Result

from backend.core.catalog.own.http_file import parse_http_file
from backend.core.catalog.own.service_file import DEFAULT_WORSE, parse_service_file
from cli import app, init

Tacho = Callable[..., Result]


@pytest.fixture
def tacho(tmp_path: Path) -> Tacho:
    (tmp_path / "go.mod").write_text("module shop\n")
    (tmp_path / "main.go").write_text('package main\n"/health"\n')
    return lambda *words, **keys: CliRunner().invoke(app, ["init", str(tmp_path), *words], **keys)


def test_a_repository_gets_a_service_file_and_a_load(tacho: Tacho, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM a\nEXPOSE 9000\n")

    ended = tacho("--path", "/orders")

    assert ended.exit_code == 0, ended.output
    assert "Found: Dockerfile, Go\n  name   shop\n  port   9000\n  ready  /health" in ended.stdout
    assert "`ready` is /health, which was found in main.go." in ended.stdout
    assert ended.stdout.endswith(f"Next: tacho check --folder {tmp_path}\n")
    written = parse_service_file(tmp_path / "tacho.toml")
    service = written.service
    assert (service.name, service.port, service.ready) == ("shop", 9000, "/health")
    assert written.docker is not None
    assert parse_http_file(tmp_path / "loads/main.http", tmp_path).first_path == "/orders"


def test_optional_keys_in_comments_are_valid(tacho: Tacho, tmp_path: Path) -> None:
    assert tacho().exit_code == 0
    file = tmp_path / "tacho.toml"

    file.write_text(re.sub(r"(?m)^# (?=\[|\w+ = )", "", file.read_text()))

    read = parse_service_file(file)
    assert read.loads["main"].worse == DEFAULT_WORSE
    assert read.guard.ignore == ("date", "$.items[*].created_at")


def test_existing_files_are_overwritten_only_with_force(tacho: Tacho, tmp_path: Path) -> None:
    assert tacho("--path", "/mine").exit_code == 0
    (tmp_path / "tacho.toml").unlink()

    first, second = tacho("--port", "80"), tacho("--port", "81")

    assert (first.exit_code, second.exit_code) == (0, 2)
    assert "main.http exists and was not changed" in first.stdout
    assert "tacho.toml exists. --force overwrites it." in second.stderr
    assert "GET /mine" in (tmp_path / "loads/main.http").read_text()
    assert tacho("--port", "82", "--force").exit_code == 0
    assert parse_service_file(tmp_path / "tacho.toml").service.port == 82
    assert "GET /health" in (tmp_path / "loads/main.http").read_text()


def test_a_person_is_asked_only_for_what_no_file_names(
    tacho: Tacho, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(init, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))

    ended = tacho(input="9001\n\n")

    assert "Path of the first request [/health]" in ended.stdout
    assert "200 once it is ready" not in ended.stdout
    assert parse_service_file(tmp_path / "tacho.toml").service.port == 9001
    assert "Port of the service" not in tacho("--yes", "--force").stdout


def test_nothing_is_written_if_an_answer_is_wrong(tacho: Tacho, tmp_path: Path) -> None:
    invalid = [tacho("--name", "My Shop"), tacho("--ready", "x"), tacho("--path", "/{a}")]
    (tmp_path / "go.mod").unlink()
    empty, missing = tacho(), CliRunner().invoke(app, ["init", str(tmp_path / "no")])

    assert [ended.exit_code for ended in (*invalid, empty, missing)] == [2] * 5
    assert "It looks for a Dockerfile, go.mod," in empty.stderr
    assert "is not a folder" in missing.stderr
    assert not (tmp_path / "tacho.toml").exists()
