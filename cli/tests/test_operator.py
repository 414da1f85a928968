"""One-time links on the command line, and in the output of a start without users."""

from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.people.accounts import links
from backend.platform.network import find_free_port
from backend.tests.accounts import add_person
from backend.tests.commands import LIMIT_S, make_environment, name_servers, run_tacho, start_api
from cli.operator import invite_first_operator


def environment(settings: Settings, tmp_path: Path, **variables: str) -> Mapping[str, str]:
    given = name_servers(settings) | {"TACHO_PORT": str(find_free_port())} | variables
    return make_environment(tmp_path, **given)


def read_purpose(printed: str) -> str:
    """Return the purpose of the link in what a command printed."""
    _, _, key = printed.partition("/join#")
    with unit_of_work() as session:
        return links.read_link(session, key.split()[0]).purpose


def test_the_first_operator_gets_a_link(database: Settings, tmp_path: Path) -> None:
    variables = environment(database, tmp_path, TACHO_PUBLIC_URL="https://tacho.example/")

    code, printed = run_tacho(variables, "operator")

    assert code == 0, printed
    assert printed.startswith("https://tacho.example/join#")
    assert read_purpose(printed) == "first_operator"


def test_with_users_only_operators_get_a_link(database: Settings, tmp_path: Path) -> None:
    with unit_of_work() as session:
        add_person(session)
        add_person(session, "op@example.org", is_operator=True)
    variables = environment(database, tmp_path, TACHO_PORT="8123")

    code, printed = run_tacho(variables, "operator", "--email", "op@example.org")
    assert code == 0, printed
    assert printed.startswith("http://127.0.0.1:8123/join#")
    assert read_purpose(printed) == "password_reset"
    for options, words in (
        ([], "has users already"),
        (["--email", "ada@example.org"], "No operator has the e-mail address"),
    ):
        code, printed = run_tacho(variables, "operator", *options)
        assert code == 1
        assert words in printed


def test_a_missing_database_is_named(database: Settings, tmp_path: Path) -> None:
    variables = environment(database, tmp_path, DATABASE_URL="")
    code, printed = run_tacho(variables, "operator")

    assert code == 1
    assert "make up" in printed
    assert f"TACHO_DATA={tmp_path / 'data'}" in printed


def test_an_old_schema_is_named(database: Settings, postgres_url: str, tmp_path: Path) -> None:
    code, printed = run_tacho(
        environment(database, tmp_path, DATABASE_URL=postgres_url), "operator"
    )

    assert code == 1
    assert "tacho migrate" in printed


OPEN = {"host": "0.0.0.0"}
TRUSTING = {"trust_loopback": True}


@pytest.mark.parametrize(
    ("values", "has_user", "has_link"),
    [
        (OPEN | TRUSTING, False, True),
        (TRUSTING | {"token": "s3cret"}, False, True),
        (OPEN, True, False),
        (TRUSTING, False, False),
    ],
)
def test_a_start_without_users_prints_a_link_if_people_have_to_sign_in(
    database: Settings, values: Mapping[str, object], has_user: bool, has_link: bool
) -> None:
    if has_user:
        with unit_of_work() as session:
            add_person(session)
    settings = database.model_copy(update={"token": "", "port": 8123, **values})

    printed = invite_first_operator(settings, settings.database_url, settings.trust_loopback)

    assert (printed is not None) is has_link
    if printed is not None:
        assert "http://127.0.0.1:8123/join#" in printed
        assert read_purpose(printed) == "first_operator"


def test_the_api_opens_on_any_address_and_prints_the_link(
    database: Settings, tmp_path: Path
) -> None:
    given = environment(database, tmp_path, TACHO_HOST="0.0.0.0", TACHO_TRUST_LOOPBACK="true")
    url = f"http://127.0.0.1:{given['TACHO_PORT']}"
    with start_api(given, tmp_path / "log") as printed:
        assert f"{url}/join#" in printed
        assert read_purpose(printed) == "first_operator"
        session = httpx.get(f"{url}/api/v1/session", timeout=LIMIT_S, trust_env=False).json()
        assert session["proof"] is None
