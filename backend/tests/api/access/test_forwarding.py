"""A real API process behind proxies: whose headers name the client and the scheme, and what the
public URL decides."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from backend.api.access.cookie import COOKIE
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.main import create_app
from backend.platform.network import find_free_port
from backend.tests.accounts import PASSWORD, add_person
from backend.tests.asking import RUNS, body
from backend.tests.commands import LIMIT_S, make_environment, name_servers, start_api
from backend.tests.serving import serve

PUBLIC = "https://tacho.example.org"
OWN = {"Origin": PUBLIC}
TOKEN = "token-of-the-test"

pytestmark = pytest.mark.usefixtures("host_id")


@contextmanager
def open_api(settings: Settings, folder: Path, **variables: str) -> Iterator[httpx.Client]:
    """Start `tacho api`, and yield a client on the same machine. The log is `folder/log`."""
    port = find_free_port()
    own = {"TACHO_PORT": str(port), "TACHO_TRUST_LOOPBACK": "true"}
    given = make_environment(folder, **name_servers(settings) | own | variables)
    with (
        start_api(given, folder / "log"),
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=LIMIT_S, trust_env=False
        ) as client,
    ):
        yield client


def sign_in(client: httpx.Client, headers: Mapping[str, str]) -> tuple[str, bool]:
    """Return the address that the session shows, and whether its cookie is Secure."""
    client.cookies.clear()
    given = {"email": "ada@example.org", "password": PASSWORD}
    answer = client.post("/api/v1/session", json=given, headers=headers)
    assert answer.status_code < 300, answer.text
    cookie = answer.headers["set-cookie"]
    key = cookie.partition(f"{COOKIE}=")[2].partition(";")[0]
    # A client would not send a Secure cookie over http.
    client.cookies.clear()
    listed = client.get("/api/v1/account/sessions", headers={"Cookie": f"{COOKIE}={key}"})
    (address,) = [item["address"] for item in listed.json()["items"] if item["is_current"]]
    return address, "; Secure" in cookie


def assert_behind_a_proxy(client: httpx.Client | TestClient) -> None:
    """Check that a program on the same machine is not the local owner."""
    refused = client.post(RUNS, json=body())
    assert refused.status_code == 401
    assert "behind a proxy" in refused.json()["detail"]


def test_a_trusted_proxy_names_the_client_and_the_scheme(
    database: Settings, tmp_path: Path
) -> None:
    trusted = {"TACHO_TRUSTED_PROXIES": "127.0.0.1, 10.1.0.0/16", "TACHO_LOG_LEVEL": "DEBUG"}
    with open_api(database, tmp_path, **trusted, TACHO_TOKEN=TOKEN) as client:
        with unit_of_work() as session:
            add_person(session)
        plain = {"X-Forwarded-For": "203.0.113.9"}
        forged = {"X-Forwarded-For": "127.0.0.1, 198.51.100.1, 203.0.113.9, 10.1.2.3"}
        https = plain | {"X-Forwarded-Proto": "https"}

        assert sign_in(client, plain) == ("203.0.113.9", False)
        assert sign_in(client, forged) == ("203.0.113.9", False)
        assert sign_in(client, https) == ("203.0.113.9", True)
        client.cookies.clear()
        for name in ("token", "access_token"):
            query = {name: TOKEN}
            assert client.post(RUNS, params=query, json=body()).status_code == 422
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert client.post(RUNS, json=body(), headers=bearer).status_code == 202
    assert TOKEN not in (tmp_path / "log").read_text()


def test_without_settings_headers_name_no_client_and_only_make_cookies_secure(
    database: Settings, tmp_path: Path
) -> None:
    others = {"FORWARDED_ALLOW_IPS": "*", "UVICORN_FORWARDED_ALLOW_IPS": "*"}
    with open_api(database, tmp_path, **others, UVICORN_PROXY_HEADERS="true") as client:
        assert client.post(RUNS, json=body()).status_code == 202
        with unit_of_work() as session:
            add_person(session)
        forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
        assert sign_in(client, {}) == ("127.0.0.1", False)
        log = tmp_path / "log"
        assert "TACHO_PUBLIC_URL nor" not in log.read_text()
        assert sign_in(client, forged) == ("127.0.0.1", True)
        host = {"Host": "tacho.example.org"}
        assert sign_in(client, OWN | host) == ("127.0.0.1", True)
    assert log.read_text().count("TACHO_PUBLIC_URL nor") == 1


def test_with_a_trusted_proxy_nobody_is_the_local_owner(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.post(RUNS, json=body()).status_code == 202
    with monkeypatch.context() as patch:
        patch.setenv("TACHO_TRUSTED_PROXIES", "10.1.0.0/16")
        get_settings.cache_clear()
        assert_behind_a_proxy(client)
    get_settings.cache_clear()


@pytest.fixture
def public_url(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an API with a public URL."""
    with monkeypatch.context() as patch:
        patch.setenv("TACHO_PUBLIC_URL", f"{PUBLIC}:443/")
        get_settings.cache_clear()
        with serve(create_app()) as url:
            yield url
    get_settings.cache_clear()


def test_the_public_url_begins_links_and_is_the_own_origin_and_nobody_is_the_local_owner(
    database: Settings, public_url: str
) -> None:
    with httpx.Client(base_url=public_url, timeout=LIMIT_S, trust_env=False) as client:
        assert_behind_a_proxy(client)
        with unit_of_work() as session:
            user_id = add_person(session, is_operator=True).id
        _, is_secure = sign_in(client, OWN)
        assert is_secure
        host = {"Host": "upstream:8000"}
        given = {"email": "ada@example.org", "password": PASSWORD}
        answer = client.post("/api/v1/session", json=given, headers=OWN | host)
        key = answer.headers["set-cookie"].partition(f"{COOKIE}=")[2].partition(";")[0]
        cookie = {"Cookie": f"{COOKIE}={key}"}
        client.cookies.clear()
        reset = f"/api/v1/users/{user_id}/password-reset"

        made = client.post(reset, headers=OWN | host | cookie)

        assert made.status_code == 201, made.text
        assert made.json()["url"].startswith(f"{PUBLIC}/join#")
        for origin, name in (
            ("http://tacho.example.org", "tacho.example.org"),
            ("https://upstream:8000", "upstream:8000"),
            (f"{PUBLIC}.evil.example", "tacho.example.org"),
        ):
            foreign = {"Origin": origin, "Host": name}
            assert client.post(reset, headers=foreign | cookie).status_code == 401
