"""Accounts: signing in, ending sessions, and the last operator."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import Conflict, InvalidRequest, NotFound, Unauthorized
from backend.core.models import OneTimeLink, User, UserSession
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import links, passwords, repository, service
from backend.core.people.audit.recording import get_actor
from backend.tests.accounts import (
    BROWSER,
    PASSWORD,
    CountingHasher,
    add_person,
    expire_sessions,
    list_session_ids,
)

NEW = "another long password"


def find_stored(session: Session, key: str) -> UserSession | None:
    return repository.find_session_by_key(session, hash_key(key))


def test_signing_in_stores_only_the_hash_of_the_key(session: Session) -> None:
    user = add_person(session)

    key = service.sign_in(session, "Ada@Example.org", PASSWORD, BROWSER)

    stored = find_stored(session, key)
    assert stored is not None
    assert stored.key_hash != key
    assert (stored.user_id, stored.address, stored.user_agent) == (
        user.id,
        BROWSER.address,
        BROWSER.user_agent,
    )
    assert get_actor(session).user_id == user.id


def test_signing_in_again_ends_the_old_session_of_the_browser(session: Session) -> None:
    user = add_person(session)
    elsewhere = service.sign_in(session, user.email, PASSWORD, BROWSER)
    first = service.sign_in(session, user.email, PASSWORD, BROWSER)

    second = service.sign_in(session, user.email, PASSWORD, replace(BROWSER, key=first))

    assert find_stored(session, first) is None
    assert find_stored(session, second) is not None
    assert find_stored(session, elsewhere) is not None


def test_signing_in_deletes_expired_sessions(session: Session) -> None:
    user = add_person(session)
    old = service.sign_in(session, user.email, PASSWORD, BROWSER)
    expire_sessions(session)

    service.sign_in(session, user.email, PASSWORD, BROWSER)

    session.expire_all()
    assert find_stored(session, old) is None


def test_unknown_wrong_and_disabled_look_alike_and_cost_one_hash_each(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_person(session)
    add_person(session, "disabled@example.org", is_disabled=True)
    add_person(session, "external@example.org").password_hash = None
    hasher = CountingHasher()
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    attempts = [
        ("nobody@example.org", PASSWORD),
        ("ada@example.org", "wrong password"),
        ("disabled@example.org", PASSWORD),
        ("external@example.org", PASSWORD),
    ]

    details, runs = set(), []
    for email, password in attempts:
        before = hasher.runs
        with pytest.raises(Unauthorized) as refused:
            service.sign_in(session, email, password, BROWSER)
        details.add(refused.value.detail)
        runs.append(hasher.runs - before)

    assert len(details) == 1
    assert runs == [1, 1, 1, 1]


def test_an_outdated_hash_is_replaced_at_sign_in(session: Session) -> None:
    user = add_person(session)
    user.password_hash = PasswordHasher(time_cost=1, memory_cost=1024).hash(PASSWORD)
    session.flush()

    service.sign_in(session, user.email, PASSWORD, BROWSER)

    assert user.password_hash is not None
    assert not passwords.is_outdated(user.password_hash)
    assert passwords.is_right(PASSWORD, user.password_hash)


def test_a_new_password_ends_all_other_sessions_and_reset_links(session: Session) -> None:
    user = add_person(session)
    other = add_person(session, "bob@example.org")
    kept_elsewhere = service.sign_in(session, other.email, PASSWORD, BROWSER)
    current = find_stored(session, service.sign_in(session, user.email, PASSWORD, BROWSER))
    service.sign_in(session, user.email, PASSWORD, BROWSER)
    links.create_reset_link(session, user)
    assert current is not None

    service.change_password(session, user.id, PASSWORD, NEW, keep=current.id)

    assert list_session_ids(session, user.id) == [current.id]
    assert find_stored(session, kept_elsewhere) is not None
    assert not session.scalars(select(OneTimeLink)).all()
    service.check_password(session, user.email, NEW)
    with pytest.raises(Unauthorized):
        service.check_password(session, user.email, PASSWORD)


def test_a_new_password_needs_the_current_one(session: Session) -> None:
    user = add_person(session)
    with pytest.raises(InvalidRequest, match="current: is not your current password"):
        service.change_password(session, user.id, "wrong password", NEW, keep=None)
    service.check_password(session, user.email, PASSWORD)


def test_users_revoke_only_their_own_sessions(session: Session) -> None:
    user, other = add_person(session), add_person(session, "bob@example.org")
    service.sign_in(session, user.email, PASSWORD, BROWSER)
    (session_id,) = list_session_ids(session, user.id)

    with pytest.raises(NotFound):
        service.revoke_session(session, other.id, session_id)
    service.revoke_session(session, user.id, session_id)

    assert list_session_ids(session, user.id) == []


def test_two_users_cannot_have_the_same_address(session: Session) -> None:
    add_person(session)
    with pytest.raises(Conflict, match="exists already"):
        service.create_user(session, email="ADA@example.org", name="Ada", password=PASSWORD)
    assert len(session.scalars(select(User)).all()) == 1


def test_disabling_a_user_ends_the_sessions_for_good(session: Session) -> None:
    add_person(session, "op@example.org", is_operator=True)
    user = add_person(session)
    service.sign_in(session, user.email, PASSWORD, BROWSER)

    disabled = service.change_user(session, user.id, is_disabled=True).disabled_at
    enabled = service.change_user(session, user.id, is_disabled=False)

    assert disabled is not None
    assert enabled.disabled_at is None
    assert list_session_ids(session, user.id) == []


@pytest.mark.parametrize("change", [{"is_operator": False}, {"is_disabled": True}])
def test_the_last_operator_who_is_not_disabled_stays(
    session: Session, change: dict[str, bool]
) -> None:
    operator = add_person(session, is_operator=True)
    add_person(session, "gone@example.org", is_operator=True, is_disabled=True)

    with pytest.raises(Conflict, match="last operator"):
        service.change_user(session, operator.id, **change)

    second = add_person(session, "second@example.org")
    service.change_user(session, second.id, is_operator=True)
    service.change_user(session, operator.id, **change)


def test_one_operator_stays_when_two_remove_each_other_at_once(database: Settings) -> None:
    with unit_of_work() as session:
        names = ("a@example.org", "b@example.org")
        ids = [add_person(session, name, is_operator=True).id for name in names]

    def remove(user_id: UUID) -> bool:
        try:
            with unit_of_work() as session:
                service.change_user(session, user_id, is_operator=False)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(remove, ids)) == [False, True]


def test_users_are_searched_by_name_and_address(session: Session) -> None:
    users = [add_person(session, f"{name}@example.org") for name in ("ada", "bob", "b_b")]

    def search(text: str | None) -> list[str]:
        found = repository.list_users(session, text, None, 10)
        return sorted(user.email for user in found)

    assert search(None) == sorted(user.email for user in users)
    assert search("ADA") == ["ada@example.org"]
    assert search("b_b") == ["b_b@example.org"]
    assert search("nobody") == []
