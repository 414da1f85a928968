"""Parts that start next to the schema of another version refuse, and name the command to run."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command

from backend.core.config import ROOT
from backend.core.operations.migration import alembic_config
from backend.tests.revisions import NEWER, OLDER, set_revision

TACHO = str(Path(sys.executable).with_name("tacho"))
# Long enough for a busy machine.
LIMIT_S = 300


def run(part: str, database_url: str, redis_url: str, tmp_path: Path) -> str:
    """Return the output of a command that fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_")}
    own = {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "TACHO_DATA": str(tmp_path / "data"),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [TACHO, part],
        env=kept | own,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode not in {0, -9}, printed
    assert "Traceback" not in printed
    return printed


@pytest.fixture(scope="module")
def older_url(new_database: Callable[[], str]) -> str:
    """A database with the schema of an earlier version."""
    url = new_database()
    command.upgrade(alembic_config(url), OLDER)
    return url


@pytest.mark.parametrize("part", ["api", "worker", "dispatcher"])
def test_a_part_does_not_start_next_to_an_older_schema(
    part: str, older_url: str, redis_url: str, tmp_path: Path
) -> None:
    printed = run(part, older_url, redis_url, tmp_path)

    assert f"the schema {OLDER} of an earlier version" in printed
    assert "Run `tacho migrate`" in printed


def test_a_part_does_not_start_without_a_schema(
    postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    assert "no schema of Tacho" in run("api", postgres_url, redis_url, tmp_path)


def test_a_newer_schema_is_not_migrated(
    new_database: Callable[[], str], redis_url: str, tmp_path: Path
) -> None:
    url = new_database()
    command.upgrade(alembic_config(url), OLDER)
    set_revision(url, NEWER)

    printed = run("migrate", url, redis_url, tmp_path)

    assert f"the schema {NEWER}" in printed
    assert "Update Tacho on this machine" in printed
