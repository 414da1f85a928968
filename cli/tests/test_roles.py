"""`tacho roles` gives each part of `tacho up` a user in a PostgreSQL server of the operator."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import dotenv
import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool

from backend.platform.credentials.part_users import PartSettings
from backend.platform.layout import Layout
from backend.tests.commands import call_tacho, make_environment

pytestmark = pytest.mark.usefixtures("database")


def create_roles(
    folder: Path, database_url: str, *options: str
) -> subprocess.CompletedProcess[str]:
    variables = make_environment(folder, DATABASE_URL=database_url, REDIS_URL="")
    return call_tacho(variables, "roles", *options, folder=folder)


def test_the_command_writes_the_owner_to_env_and_the_others_to_the_data_folder(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    superuser_url = new_database()
    # Other tests have given passwords to the roles of this server.
    done = create_roles(tmp_path, superuser_url, "--replace")

    assert done.returncode == 0, done.stderr
    written = dotenv.dotenv_values(tmp_path / ".env")["DATABASE_URL"]
    assert written is not None
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0
    settings = PartSettings(Layout(tmp_path / "data").part_settings, written)
    urls = {
        "tacho_owner": written,
        "tacho_api": settings.find_url("api"),
        "tacho_dispatcher": settings.find_url("dispatcher"),
    }
    for role, url in urls.items():
        engine = create_engine(
            make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool
        )
        with engine.connect() as connection:
            query = text("SELECT current_user, current_setting('is_superuser')")
            assert connection.execute(query).one() == (role, "off")
    assert str(make_url(superuser_url).password) not in (tmp_path / ".env").read_text()


def test_passwords_of_another_installation_stay(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    url = new_database()
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    create_roles(first, url, "--replace")

    refused = create_roles(second, url)

    assert refused.returncode != 0
    assert "--replace" in refused.stderr
    assert not (second / ".env").exists()


def test_a_database_is_needed(tmp_path: Path) -> None:
    refused = create_roles(tmp_path, "")
    assert refused.returncode != 0
    assert "DATABASE_URL must name a superuser" in refused.stderr
