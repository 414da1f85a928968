"""Parts that start next to the schema of another version refuse, and name the command to run."""

from pathlib import Path

import pytest

from backend.tests.commands import make_environment, run_tacho
from backend.tests.revisions import NEWER, OLDER, set_revision


def run(part: str, database_url: str, redis_url: str, tmp_path: Path) -> str:
    """Return the output of a command that fails."""
    given = make_environment(tmp_path, DATABASE_URL=database_url, REDIS_URL=redis_url)
    code, printed = run_tacho(given, part, folder=tmp_path)
    assert code not in {0, -9}, printed
    return printed


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


def test_a_newer_schema_is_not_migrated(older_url: str, redis_url: str, tmp_path: Path) -> None:
    set_revision(older_url, NEWER)

    printed = run("migrate", older_url, redis_url, tmp_path)

    assert f"the schema {NEWER}" in printed
    assert "Update Tacho on this machine" in printed
