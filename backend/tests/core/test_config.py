"""Settings: their values, and their explanations in `.env.example`."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import AliasChoices, ValidationError

from backend.core.config import ROOT, Settings, explain_faults

# Read by docker-compose.yml alone.
COMPOSE_ONLY = {"POSTGRES_PASSWORD"}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use neither the environment of this machine nor a developer's .env."""
    for key in setting_keys():
        monkeypatch.delenv(key, raising=False)
    monkeypatch.chdir(tmp_path)


def setting_keys() -> set[str]:
    """Return the environment variables that Settings reads."""
    keys = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            keys.add(str(alias.choices[0]))
        else:
            keys.add(f"TACHO_{name.upper()}")
    return keys


def example_lines() -> list[str]:
    return (ROOT / ".env.example").read_text().splitlines()


def example_keys() -> set[str]:
    matches = (re.match(r"#?([A-Z][A-Z0-9_]*)=", line) for line in example_lines())
    return {match[1] for match in matches if match}


def test_the_example_file_explains_exactly_the_settings() -> None:
    assert example_keys() - COMPOSE_ONLY == setting_keys()


def test_every_variable_of_the_example_file_has_an_explanation() -> None:
    lines = example_lines()
    for above, line in pairwise(lines):
        if re.match(r"#?[A-Z][A-Z0-9_]*=", line):
            assert re.match(r"# \S", above), f"{line} is not explained"


def test_the_example_file_shows_the_defaults() -> None:
    shown = Settings(_env_file=ROOT / ".env.example", bench_host="here")

    assert shown == Settings(bench_host="here")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("postgres://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        (
            "postgresql://u:p@h:5433/d?sslmode=require",
            "postgresql+psycopg://u:p@h:5433/d?sslmode=require",
        ),
        ("postgresql+psycopg://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("", ""),
    ],
)
def test_a_database_url_has_its_driver(
    monkeypatch: pytest.MonkeyPatch, given: str, read: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", given)

    assert Settings().database_url == read


def test_the_environment_has_precedence_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("TACHO_PORT=9001\nTACHO_BENCH_HOST=file\nOTHER=1\n")
    monkeypatch.setenv("TACHO_PORT", "9002")

    settings = Settings()

    assert (settings.port, settings.bench_host) == (9002, "file")


def test_the_data_folder_is_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Settings().data == tmp_path / ".tacho"
    monkeypatch.setenv("TACHO_DATA", "~/tacho")
    assert Settings().data == Path.home() / "tacho"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("TACHO_PORT", "0"),
        ("TACHO_PORT", "65536"),
        ("TACHO_RUNTIME", "podman"),
        ("TACHO_BASES", "alpine"),
        ("TACHO_LOG_LEVEL", "LOUD"),
        ("TACHO_K6_SUMMARY", "perhaps"),
    ],
)
def test_an_invalid_value_is_rejected(
    monkeypatch: pytest.MonkeyPatch, key: str, value: str
) -> None:
    monkeypatch.setenv(key, value)

    with pytest.raises(ValidationError):
        Settings()


def test_cpus_are_lists_or_chosen_by_tacho(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHO_SERVICE_CPUS", "0-2,5")
    monkeypatch.setenv("TACHO_LOAD_CPUS", "")

    settings = Settings()

    assert (settings.service_cpus, settings.load_cpus) == ((0, 1, 2, 5), None)


@pytest.mark.parametrize("value", [",", "one", "3-1"])
def test_an_invalid_list_of_cpus_is_reported_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TACHO_BACKING_CPUS", value)

    with pytest.raises(ValidationError) as caught:
        Settings()

    message = explain_faults(caught.value)
    assert message.count("TACHO_BACKING_CPUS") == 1
    assert "write a list like 0-2,5" in message
