"""`tacho bundle` collects what helps to find a fault, and no secret."""

import json
import stat
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import make_url

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.people.access.keys import make_token
from backend.platform.credentials.part_users import SETTINGS_NAME
from backend.platform.diagnosis.support_bundle import ADDRESSES, SHOWN
from backend.platform.layout import Layout
from backend.platform.logs.log_files import numbered
from backend.tests.commands import make_environment, name_servers, run_tacho
from backend.tests.factories import HOST, add_host, ask_run, fail_next
from backend.tests.installation import sweep_up
from backend.tests.stopped_parts import write_stopped_worker

SECRETS = {
    "TACHO_TOKEN": "token-PLANTED-1",
    "TACHO_METRICS_TOKEN": "metrics-PLANTED-2",
    "TACHO_OIDC_CLIENT_SECRET": "oidc-PLANTED-3",
    "POSTGRES_PASSWORD": "postgres-PLANTED-4",
    "smtp": "smtp/PLANTED@5",
    "redis.conf": "broker-PLANTED-6",
    "access token": make_token(),
    ".env": "dotenv-PLANTED-7",
    "bench host": "worker-PLANTED-8",
    "dispatcher": "dispatcher-PLANTED-9",
}


@pytest.fixture(scope="module")
def bundled(
    installation: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str]]:
    """A bundle of an installation with secrets everywhere, and what the command printed."""
    tmp_path = tmp_path_factory.mktemp("bundled")
    fill(Layout(tmp_path / "data"))
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        fail_next(session, host.id)
    (tmp_path / ".env").write_text(f"TACHO_OIDC_CLIENT_ID=x\nOTHER_SECRET={SECRETS['.env']}\n")
    file = tmp_path / "bundle.zip"
    variables = make_variables(installation, tmp_path)
    _, printed = run_tacho(variables, "bundle", str(file), folder=tmp_path)
    yield file, printed
    sweep_up()


def fill(layout: Layout) -> None:
    """Write logs and files that hold secrets."""
    layout.make()
    planted = "".join(f"{name} {secret}\n" for name, secret in SECRETS.items())
    quoted = quote(SECRETS["smtp"], safe="")
    layout.logs.joinpath("api.log").write_text(
        f"INFO ready\n{planted}smtps://ann:{quoted}@mail.example\nAuthorization: Bearer PLANTED-9\n"
        f"{json.dumps(SECRETS)}\nann@example.org signed in\n"
    )
    numbered(layout.logs / "worker.log", 1).write_text(f"{planted}bench host bench-01\n")
    layout.broker.mkdir()
    layout.broker.joinpath("redis.conf").write_text(
        f"port 1\nrequirepass {SECRETS['redis.conf']}\n"
    )
    users = {"bench host": layout.bench_host, "dispatcher": layout.part_settings / "dispatcher"}
    for name, folder in users.items():
        folder.mkdir(parents=True)
        url = f"postgresql://tacho:{SECRETS[name]}@127.0.0.1:5432/tacho"
        folder.joinpath(SETTINGS_NAME).write_text(f"DATABASE_URL={url}\n")
    write_stopped_worker(layout, f"password={SECRETS['TACHO_TOKEN']}")


def make_variables(settings: Settings, folder: Path) -> dict[str, str]:
    return make_environment(
        folder,
        **name_servers(settings),
        TACHO_PORT="1",
        TACHO_OIDC_ISSUER="https://login.example.org",
        TACHO_OIDC_CLIENT_ID="tacho",
        TACHO_PUBLIC_URL="https://tacho.example.org",
        TACHO_MAIL_FROM="tacho@example.org",
        TACHO_SMTP_URL=f"smtps://ann:{quote(SECRETS['smtp'], safe='')}@mail.example.org",
        **{name: SECRETS[name] for name in SECRETS if name.isupper()},
    )


def read_bundle(file: Path) -> dict[str, str]:
    with zipfile.ZipFile(file) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


def read_document(contents: Mapping[str, str], name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(contents[name])
    return found


def test_no_planted_secret_is_in_the_bundle(
    bundled: tuple[Path, str], installation: Settings
) -> None:
    file, printed = bundled
    password = make_url(installation.database_url).password
    secrets = [*SECRETS.values(), *([password] if password else []), "PLANTED", "ann@example.org"]
    contents = read_bundle(file)

    found = [
        (name, secret)
        for secret in secrets
        for spelling in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1])
        for name, content in [*contents.items(), ("output", printed)]
        if spelling in content
    ]

    assert found == []
    assert "INFO ready" in contents["logs/api.log"]
    assert "bench host bench-01" in contents["logs/worker.log.1"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_bundle_has_what_helps_to_find_a_fault(bundled: tuple[Path, str]) -> None:
    contents = read_bundle(bundled[0])

    versions = read_document(contents, "versions.json")
    assert versions["tacho"]
    assert versions["packages"]["fastapi"]
    assert "PostgreSQL" in versions["postgresql"]["version"]
    assert versions["redis"]["version"]
    settings = read_document(contents, "settings.json")
    assert (settings["token"], settings["smtp_url"], settings["port"]) == ("(set)", "(set)", 1)
    assert settings["redis_url"].startswith("redis://127.0.0.1:")
    assert settings["public_url"] == "https://tacho.example.org"
    installation = read_document(contents, "installation.json")
    assert [host["name"] for host in installation["hosts"]] == [HOST]
    assert len(installation["schema_revision"]) >= 8
    (failure,) = installation["recent_failures"]
    assert (failure["host"], failure["code"], failure["cause"]) == (
        HOST,
        "build_failed",
        "service",
    )
    assert read_document(contents, "parts.json")["worker"]["reason"] == "ended with exit code 1"
    assert read_document(contents, "disk.json")["folders_bytes"]["logs"] > 0
    assert read_document(contents, "health.json") == {}
    assert "Memory" in contents["doctor.txt"]
    assert "read them before you send" in contents["README.txt"]


def test_a_broken_installation_gets_a_bundle_too(database: Settings, tmp_path: Path) -> None:
    variables = make_variables(database, tmp_path) | {
        "DATABASE_URL": "postgresql://tacho:database-PLANTED-8@127.0.0.1:1/tacho"
    }
    file = tmp_path / "bundle.zip"
    _, printed = run_tacho(variables, "bundle", str(file), folder=tmp_path)

    assert "Read it before you send it" in printed
    contents = read_bundle(file)
    assert "OperationalError" in contents["installation.json"]
    assert "PLANTED" not in "".join(contents.values())


def test_an_existing_file_is_not_replaced(database: Settings, tmp_path: Path) -> None:
    file = tmp_path / "bundle.zip"
    file.write_text("precious")

    _, printed = run_tacho(make_variables(database, tmp_path), "bundle", str(file), folder=tmp_path)

    assert "exists. Name a new file" in printed
    assert file.read_text() == "precious"


def test_every_shown_setting_exists_and_is_harmless() -> None:
    assert set(Settings.model_fields) >= SHOWN | ADDRESSES
    assert not {
        name for name in SHOWN for word in ("token", "secret", "password", "url") if word in name
    }
