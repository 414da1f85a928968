"""Signing in at an OpenID Connect provider: a real Dex, whose form the tests fill in."""

import json
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from backend.api.access.cookie import COOKIE
from backend.api.people.single_sign_on.provider import get_provider
from backend.api.people.single_sign_on.routes import FLOW_COOKIE
from backend.api.people.single_sign_on.schemas import is_return_path
from backend.core.config import ROOT, Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import AuditEvent, Identity, User
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import identities
from backend.core.queue import get_redis
from backend.core.statuses import Role
from backend.main import create_app
from backend.platform.network import find_free_port
from backend.tests.accounts import add_person, invite
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import ORIGIN, OWN, SESSION, get_key, open_browser, sign_in
from backend.tests.dex import (
    ADA,
    BO,
    CLIENT_ID,
    CLIENT_SECRET,
    CY,
    DexPerson,
    run_dex,
    sign_in_at_dex,
)

START = f"{SESSION}/oidc"
CALLBACK = f"{ORIGIN}{START}/callback"
CASES = json.loads((ROOT / "frontend/src/lib/return-path-cases.json").read_text())


@pytest.fixture(scope="module")
def dex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The issuer of a Dex."""
    with run_dex(tmp_path_factory.mktemp("dex"), [CALLBACK], [ADA, BO, CY]) as issuer:
        yield issuer


@pytest.fixture
def provider(dex: str, database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The issuer that the installation uses."""
    use_provider(monkeypatch, dex)
    yield dex
    monkeypatch.undo()
    get_settings.cache_clear()


@pytest.fixture
def browser(app: FastAPI, provider: str) -> Iterator[TestClient]:
    with open_browser(app) as client:
        yield client


def use_provider(monkeypatch: pytest.MonkeyPatch, issuer: str, secret: str = CLIENT_SECRET) -> None:
    monkeypatch.setenv("TACHO_PUBLIC_URL", ORIGIN)
    monkeypatch.setenv("TACHO_OIDC_ISSUER", issuer)
    monkeypatch.setenv("TACHO_OIDC_CLIENT_ID", CLIENT_ID)
    monkeypatch.setenv("TACHO_OIDC_CLIENT_SECRET", secret)
    monkeypatch.setenv("TACHO_OIDC_NAME", "Example login")
    get_settings.cache_clear()


def start(browser: TestClient, **given: str) -> str:
    """Start a flow, and return the address at the provider."""
    url: str = document(browser.post(START, json=given, headers=OWN))["url"]
    return url


def come_back(browser: TestClient, url: str, person: DexPerson) -> Response:
    """Sign in at Dex, and open the address to which Dex sends the browser."""
    return open_callback(browser, sign_in_at_dex(url, person, stop_before=ORIGIN))


def open_callback(browser: TestClient, url: str) -> Response:
    return browser.get(url, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False)


def sign_on(browser: TestClient, person: DexPerson, **given: str) -> Response:
    return come_back(browser, start(browser, **given), person)


def check_refused(answer: Response, reason: str, **more: str) -> None:
    """Check that a callback leads to an explanation and signs nobody in."""
    assert answer.status_code == 303
    where = urlsplit(answer.headers["location"])
    assert (where.netloc, where.path) == ("", "/sign-in")
    assert parse_qs(where.query) == {"refused": [reason]} | {k: [v] for k, v in more.items()}
    assert COOKIE not in answer.cookies


def who_is(browser: TestClient) -> Mapping[str, object] | None:
    user: Mapping[str, object] | None = document(browser.get(SESSION))["user"]
    return user


def list_identities() -> list[tuple[str, str]]:
    """Return subject and e-mail address of all identities."""
    with unit_of_work() as session:
        query = select(Identity.subject, User.email).join(User, User.id == Identity.user_id)
        return [(subject, email) for subject, email in session.execute(query)]


def list_audit() -> list[tuple[str, str]]:
    """Return actor and action of all entries, oldest first."""
    with unit_of_work() as session:
        query = select(AuditEvent.actor, AuditEvent.action).order_by(AuditEvent.id)
        return [(actor, action) for actor, action in session.execute(query)]


def test_a_flow_begins_with_a_challenge_a_hidden_cookie_and_no_secret(browser: TestClient) -> None:
    assert document(browser.get(SESSION))["sign_in"]["oidc"] == "Example login"

    answer = browser.post(START, json={"to": "/runs?limit=5"}, headers=OWN)

    url = document(answer)["url"]
    query = parse_qs(urlsplit(url).query)
    assert query["redirect_uri"] == [CALLBACK]
    assert query["response_type"] == ["code"]
    assert query["code_challenge_method"] == ["S256"]
    assert set(query["scope"][0].split()) == {"openid", "email", "profile"}
    assert len(query["state"][0]) >= 30
    assert len(query["nonce"][0]) >= 20
    assert CLIENT_SECRET not in url
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"{FLOW_COOKIE}=")
    for part in ("httponly", "samesite=lax", "secure", "max-age=600", f"path={START}"):
        assert part in cookie
    assert answer.headers["cache-control"] == "private, no-store"


def test_a_user_with_the_verified_address_is_linked_and_signed_in(
    browser: TestClient, provider: str
) -> None:
    with unit_of_work() as session:
        add_person(session)

    answer = sign_on(browser, ADA, to="/runs?limit=5")

    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?limit=5")
    assert answer.headers["cache-control"] == "private, no-store"
    assert "httponly" in answer.headers["set-cookie"].lower()
    user = who_is(browser)
    assert user is not None
    # The user keeps the name.
    assert (user["email"], user["name"]) == ("ada@example.org", "Ada")
    ((subject, email),) = list_identities()
    (listed,) = document(browser.get("/api/v1/account/identities"))["items"]
    assert (listed["issuer"], listed["subject"]) == (provider, subject)
    assert email == "ada@example.org"
    assert list_audit() == [
        ("ada@example.org", "user.changed"),
        ("ada@example.org", "identity.created"),
        ("ada@example.org", "user.signed_in"),
    ]
    assert FLOW_COOKIE not in browser.cookies


def test_a_password_that_was_set_before_the_address_was_verified_ends(
    browser: TestClient, app: FastAPI
) -> None:
    with unit_of_work() as session:
        add_person(session)
    with open_browser(app) as squatter:
        assert sign_in(squatter).is_success
        sign_on(browser, ADA)

        assert document(squatter.get(SESSION))["user"] is None
        assert sign_in(squatter).status_code == 401
    assert who_is(browser) is not None


def test_a_known_identity_signs_in_its_user_also_after_the_address_changed(
    browser: TestClient,
) -> None:
    with unit_of_work() as session:
        user = add_person(session)
    sign_on(browser, ADA)
    with unit_of_work() as session:
        session.get_one(User, user.id).email = "countess@example.org"
    old = get_key(browser)

    answer = sign_on(browser, ADA)

    assert answer.headers["location"] == "/"
    found = who_is(browser)
    assert found is not None
    assert found["email"] == "countess@example.org"
    assert len(list_identities()) == 1
    # A new key, so nobody can fix a session before signing in.
    assert get_key(browser) != old


def test_an_invited_person_joins_with_a_new_account_without_password(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
        key = invite(session, Role.MAINTAINER)

    answer = sign_on(browser, BO, link_key=key)

    assert answer.headers["location"] == "/"
    read = document(browser.get(SESSION))
    assert (read["user"]["email"], read["user"]["name"]) == ("bo@example.org", "Bo of Dex")
    assert read["user"]["is_operator"] is False
    assert (read["workspace"]["slug"], read["workspace"]["role"]) == ("main", "maintainer")
    assert [(actor, action) for actor, action in list_audit() if "created" in action] == [
        ("bo@example.org", "user.created"),
        ("bo@example.org", "identity.created"),
        ("bo@example.org", "membership.created"),
    ]
    problem(sign_in(browser, "bo@example.org"), 401, "unauthorized")
    change = {"current": "a long password", "new": "another long password"}
    assert list(faults(browser.put("/api/v1/account/password", json=change, headers=OWN))) == [
        "current"
    ]
    check_refused(sign_on(browser, BO, link_key=key), "link_unusable")


def test_the_first_person_who_joins_operates_the_installation(browser: TestClient) -> None:
    with unit_of_work() as session:
        key = invite(session, Role.OWNER)

    sign_on(browser, BO, link_key=key)

    user = who_is(browser)
    assert user is not None
    assert user["is_operator"] is True


def test_an_invited_user_joins_with_the_account_of_the_verified_address(
    browser: TestClient,
) -> None:
    with unit_of_work() as session:
        add_person(session, role=None)
        key = invite(session, email="ada@example.org")

    sign_on(browser, ADA, link_key=key)

    read = document(browser.get(SESSION))
    assert read["user"]["email"] == "ada@example.org"
    assert read["workspace"]["role"] == "member"
    assert [email for _, email in list_identities()] == ["ada@example.org"]


def test_people_who_may_not_join_are_refused_and_use_no_invitation(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
        add_person(session, CY.email)
        for_zoe, for_anyone = invite(session, email="zoe@example.org"), invite(session, Role.OWNER)

    check_refused(sign_on(browser, BO), "no_account")
    check_refused(sign_on(browser, BO, to="/runs"), "no_account", to="/runs")
    check_refused(sign_on(browser, BO, link_key=for_zoe), "other_person_invited")
    check_refused(sign_on(browser, ADA, link_key=for_anyone), "member_already")
    # An unverified address neither links nor creates an account.
    check_refused(sign_on(browser, CY), "email_unverified")
    check_refused(sign_on(browser, CY, link_key=for_anyone), "email_unverified")

    assert list_identities() == []
    assert who_is(browser) is None
    for key in (for_zoe, for_anyone):
        document(browser.post("/api/v1/links/read", json={"key": key}))


def test_a_disabled_user_is_refused_by_address_and_by_identity(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session, is_disabled=True)
        bo = add_person(session, BO.email)
    check_refused(sign_on(browser, ADA), "disabled")
    sign_on(browser, BO)
    with unit_of_work() as session:
        user = session.get_one(User, bo.id)
        user.disabled_at = user.created_at

    check_refused(sign_on(browser, BO), "disabled")

    assert who_is(browser) is None


def test_a_callback_without_a_flow_is_refused(browser: TestClient) -> None:
    start(browser)

    for query in ("", "?state=wrong&code=wrong", "?code=x", "?error=access_denied"):
        check_refused(open_callback(browser, CALLBACK + query), "not_started")


def test_another_browser_cannot_finish_a_flow(browser: TestClient, app: FastAPI) -> None:
    """Otherwise an attacker could sign other people in to the attacker's own account."""
    with unit_of_work() as session:
        add_person(session)
    url = sign_in_at_dex(start(browser), ADA, stop_before=ORIGIN)

    with open_browser(app) as victim:
        check_refused(open_callback(victim, url), "not_started")
        start(victim)
        url = sign_in_at_dex(start(browser), ADA, stop_before=ORIGIN)
        check_refused(open_callback(victim, url), "not_started")
        assert who_is(victim) is None

    # The code is spent, also for the browser that it was for.
    check_refused(open_callback(browser, url), "not_started")


def test_a_callback_works_once(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
    made = start(browser)
    cookie = browser.cookies[FLOW_COOKIE]
    url = sign_in_at_dex(made, ADA, stop_before=ORIGIN)
    assert open_callback(browser, url).headers["location"] == "/"
    browser.cookies.clear()
    browser.cookies.set(FLOW_COOKIE, cookie)

    check_refused(open_callback(browser, url), "not_started")


def change_flow(url: str, **values: str) -> None:
    """Change what Tacho stored about the flow of an address."""
    state = parse_qs(urlsplit(url).query)["state"][0]
    name = identities._name_key(state)
    stored = get_redis().get(name)
    assert isinstance(stored, bytes)
    get_redis().set(name, json.dumps(json.loads(stored) | values), ex=60)


def test_another_nonce_or_verifier_is_refused(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
    for secret in ("nonce", "code_verifier"):
        url = start(browser)
        change_flow(url, **{secret: "x" * 48})

        check_refused(come_back(browser, url, ADA), "answer_invalid")

    assert list_identities() == []


def test_a_flow_expires_and_is_stored_without_secrets_of_the_browser(browser: TestClient) -> None:
    with unit_of_work() as session:
        key = invite(session)
    url = start(browser, link_key=key)
    state = parse_qs(urlsplit(url).query)["state"][0]
    name = identities._name_key(state)

    stored = get_redis().get(name)
    assert isinstance(stored, bytes)
    assert 0 < int(str(get_redis().ttl(name))) <= 600
    assert hash_key(key) in stored.decode()
    for secret in (key, state, browser.cookies[FLOW_COOKIE]):
        assert secret not in stored.decode()
    get_redis().pexpire(name, 1)
    check_refused(come_back(browser, url, BO), "not_started")


def test_a_refusal_of_the_provider_and_a_wrong_code_are_explained(browser: TestClient) -> None:
    for answer, reason in (
        ("error=access_denied", "provider_refused"),
        ("code=x", "answer_invalid"),
    ):
        state = parse_qs(urlsplit(start(browser)).query)["state"][0]
        check_refused(open_callback(browser, f"{CALLBACK}?state={state}&{answer}"), reason)


def test_a_wrong_client_secret_is_refused(
    browser: TestClient, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch, provider, "another secret")

    check_refused(sign_on(browser, ADA), "answer_invalid")


def test_a_provider_that_is_down_is_explained(
    browser: TestClient, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sign_in_at_dex(start(browser), ADA, stop_before=ORIGIN)
    use_provider(monkeypatch, f"http://127.0.0.1:{find_free_port()}/dex")

    refused = problem(browser.post(START, json={}, headers=OWN), 503, "unavailable")

    assert "Example login" in refused["detail"]
    check_refused(open_callback(browser, url), "provider_unreachable")


def test_a_provider_with_another_issuer_is_not_used(
    browser: TestClient, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch, f"{provider}/")

    problem(browser.post(START, json={}, headers=OWN), 503, "unavailable")


def test_a_signed_in_browser_gets_a_new_session(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
        add_person(session, BO.email)
    sign_in(browser)
    old = get_key(browser)

    sign_on(browser, BO)

    user = who_is(browser)
    assert user is not None
    assert user["email"] == BO.email
    browser.cookies.clear()
    browser.cookies.set(COOKIE, old)
    assert who_is(browser) is None


def test_starts_of_an_anonymous_visitor_are_limited(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHO_LIMIT_REQUESTS", "2")
    get_settings.cache_clear()
    with open_browser(create_app()) as browser:
        start(browser)
        start(browser)

        problem(browser.post(START, json={}, headers=OWN), 429, "limit_exceeded")


def test_a_page_of_another_site_cannot_start_a_flow(browser: TestClient) -> None:
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}

    problem(browser.post(START, json={}, headers=foreign), 401, "unauthorized")


def test_an_installation_without_provider_refuses_to_start_a_flow(client: TestClient) -> None:
    assert document(client.get(SESSION))["sign_in"]["oidc"] is None
    problem(client.post(START, json={}), 409, "conflict")


def test_a_return_path_leads_to_this_installation(browser: TestClient) -> None:
    for path in CASES["refused"]:
        assert not is_return_path(path), path
        assert list(faults(browser.post(START, json={"to": path}, headers=OWN))) == ["to"]
    for path in CASES["accepted"]:
        assert is_return_path(path), path


def test_nothing_secret_is_logged(browser: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with unit_of_work() as session:
        add_person(session)
    get_provider.cache_clear()
    with caplog.at_level("DEBUG"):
        url = start(browser)
        back = sign_in_at_dex(url, ADA, stop_before=ORIGIN)
        state = parse_qs(urlsplit(url).query)["state"][0]
        stored = json.loads(get_redis().get(identities._name_key(state)) or b"")
        caplog.clear()
        open_callback(browser, back)

    code = parse_qs(urlsplit(back).query)["code"][0]
    # The client of the test logs the address that it opens.
    logged = [
        text for text in caplog.messages if not text.startswith(f"HTTP Request: GET {ORIGIN}")
    ]
    assert any("/dex/token" in text for text in logged)
    for secret in (code, stored["code_verifier"], stored["nonce"], CLIENT_SECRET):
        assert [text for text in logged if secret in text] == []
