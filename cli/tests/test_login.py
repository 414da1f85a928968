"""`tacho login` and `tacho logout` against a real server, as processes with a file of their own."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select, update

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import AccessToken
from backend.core.statuses import Role
from backend.tests.accounts import add_member, add_token, sign_in
from backend.tests.asking import RUNS
from backend.tests.commands import LIMIT_S, TACHO, call_tacho, make_environment
from backend.tests.factories import add_host

LOGINS = "/api/v1/device-logins"


@pytest.fixture
def variables(database: Settings, tmp_path: Path) -> Mapping[str, str]:
    """The environment of a person's shell without TACHO_TOKEN."""
    return make_environment(tmp_path, TACHO_TOKEN="", XDG_CONFIG_HOME=str(tmp_path / "config"))


@pytest.fixture
def ada(live_url: str, database: Settings) -> Iterator[httpx2.Client]:
    """The browser of a member."""
    with unit_of_work() as session:
        add_host(session)
        headers = sign_in(session, add_member(session, role=Role.MEMBER))
    with httpx2.Client(
        base_url=live_url, headers={**headers, "Origin": live_url}, trust_env=False
    ) as client:
        yield client


def find_file(variables: Mapping[str, str]) -> Path:
    return Path(variables["XDG_CONFIG_HOME"]) / "tacho" / "credentials.json"


def write_file(variables: Mapping[str, str], text: str) -> None:
    path = find_file(variables)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def start_login(
    variables: Mapping[str, str], url: str
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run `tacho login` until it has printed a code; yield it, the code and what it printed."""
    process = subprocess.Popen(
        # In the background of a shell, this process and its children would ignore SIGINT.
        ["env", "--default-signal=INT", TACHO, "login", "--url", url],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        printed = ""
        while "Waiting" not in printed:
            line = process.stdout.readline()
            assert line, f"no code was printed: {printed}"
            printed += line
        found = re.search(r"^ +([A-Z]{4}-[A-Z]{4})$", printed, re.MULTILINE)
        assert found is not None, printed
        yield process, found[1], printed
    finally:
        process.kill()
        process.wait()


def log_in(
    variables: Mapping[str, str], browser: httpx2.Client, *, approve: bool = True
) -> tuple[int, str, str]:
    """Run `tacho login`, decide it in the browser, and return its exit code and its outputs."""
    url = str(browser.base_url).rstrip("/")
    with start_login(variables, url) as (process, code, printed):
        decision = {"user_code": code, "approve": approve}
        answer = browser.post(f"{LOGINS}/decide", json=decision)
        assert answer.status_code == 200, answer.text
        stdout, stderr = process.communicate(timeout=LIMIT_S)
    assert "Traceback" not in stderr
    return process.returncode, printed + stdout, stderr


def test_a_person_signs_in_uses_the_token_and_signs_out(
    variables: Mapping[str, str], ada: httpx2.Client, live_url: str
) -> None:
    command = ("run", "node", "--scenario", "hello", "--url", live_url)
    before = call_tacho(variables, *command)
    assert before.returncode == 2
    assert "run tacho login" in before.stderr

    code, printed, _ = log_in(variables, ada)

    assert code == 0
    assert f"Open {live_url}/device in a browser" in printed
    assert "signed in to workspace main with the scope run" in printed
    path = find_file(variables)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    [(stored_url, token)] = json.loads(path.read_text(encoding="utf-8")).items()
    assert stored_url == live_url
    assert token not in printed

    assert call_tacho(variables, *command).returncode == 0
    assert len(ada.get(RUNS).json()["items"]) == 1
    wrong = {**variables, "TACHO_TOKEN": "another"}
    assert call_tacho(wrong, *command).returncode == 2, "TACHO_TOKEN comes first"

    ended = call_tacho(variables, "logout", "--url", live_url)
    assert (ended.returncode, json.loads(path.read_text(encoding="utf-8"))) == (0, {})
    with unit_of_work() as session:
        [row] = session.scalars(select(AccessToken))
        assert row.revoked_at is not None
    assert call_tacho(variables, "logout", "--url", live_url).returncode == 2


def test_a_second_sign_in_revokes_the_earlier_token_and_keeps_other_addresses(
    variables: Mapping[str, str], ada: httpx2.Client, live_url: str
) -> None:
    with unit_of_work() as session:
        earlier = add_token(session)["Authorization"].removeprefix("Bearer ")
    other = "https://other.example"
    write_file(variables, json.dumps({live_url: earlier, other: "tacho_other"}))

    assert log_in(variables, ada)[0] == 0

    stored = json.loads(find_file(variables).read_text(encoding="utf-8"))
    assert set(stored) == {live_url, other}
    assert stored[live_url] != earlier
    with unit_of_work() as session:
        rows = session.scalars(select(AccessToken).order_by(AccessToken.created_at)).all()
        assert [row.revoked_at is None for row in rows] == [False, True]


def test_a_denied_sign_in_stores_nothing(variables: Mapping[str, str], ada: httpx2.Client) -> None:
    code, _, errors = log_in(variables, ada, approve=False)

    assert code == 2
    assert "was denied in the browser" in errors
    assert not find_file(variables).exists()


@pytest.mark.usefixtures("ada")
def test_an_interrupted_sign_in_stores_nothing(variables: Mapping[str, str], live_url: str) -> None:
    with start_login(variables, live_url) as (process, _, _):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130
    assert errors == "Interrupted. You are not signed in.\n"
    assert not find_file(variables).exists()


def test_an_expired_token_is_removed(
    variables: Mapping[str, str], ada: httpx2.Client, live_url: str
) -> None:
    with unit_of_work() as session:
        token = add_token(session)["Authorization"].removeprefix("Bearer ")
        session.execute(update(AccessToken).values(expires_at="2020-01-01T00:00:00Z"))
    write_file(variables, json.dumps({live_url: token}))

    assert call_tacho(variables, "logout", "--url", f"{live_url}/").returncode == 0
    assert json.loads(find_file(variables).read_text(encoding="utf-8")) == {}


def test_an_unreachable_tacho_does_not_keep_the_token_here(variables: Mapping[str, str]) -> None:
    write_file(variables, json.dumps({"http://127.0.0.1:1": "tacho_gone"}))

    ended = call_tacho(variables, "logout", "--url", "http://127.0.0.1:1")

    assert ended.returncode == 1
    assert "Revoke it on the page http://127.0.0.1:1/account" in ended.stderr
    assert json.loads(find_file(variables).read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize("text", ["{", '{"http://127.0.0.1:1": 1}'])
def test_a_broken_file_is_named(variables: Mapping[str, str], text: str) -> None:
    write_file(variables, text)

    ended = call_tacho(variables, "schedule", "list", "--url", "http://127.0.0.1:1")

    assert ended.returncode == 1
    assert str(find_file(variables)) in ended.stderr
    assert find_file(variables).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("url", ["tacho.example.org", "http://a:b", "http://["])
def test_a_wrong_address_is_explained(variables: Mapping[str, str], url: str) -> None:
    ended = call_tacho(variables, "login", "--url", url)

    assert ended.returncode == 2
    assert f"--url {url}: write an address such as" in ended.stderr
