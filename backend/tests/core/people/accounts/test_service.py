"""Accounts: sessions, passwords and the last operator."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.models import OneTimeLink, User, UserSession
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import links, passwords, repository, service
from backend.tests.accounts import BROWSER, PASSWORD, add_person, expire_sessions

NEW = "another long password"


def find_stored(session: Session, key: str) -> UserSession | None:
    return repository.find_session_by_key(session, hash_key(key))


def test_signing_in_deletes_expired_sessions(session: Session) -> None:
    user = add_person(session)
    old = service.sign_in(session, user.email, PASSWORD, BROWSER)
    expire_sessions(session)

    service.sign_in(session, user.email, PASSWORD, BROWSER)

    session.expire_all()
    assert find_stored(session, old) is None


def test_an_outdated_hash_is_replaced_at_sign_in(session: Session) -> None:
    user = add_person(session)
    user.password_hash = PasswordHasher(time_cost=1, memory_cost=1024).hash(PASSWORD)
    session.flush()

    service.sign_in(session, user.email, PASSWORD, BROWSER)

    assert user.password_hash is not None
    assert not passwords.is_outdated(user.password_hash)
    assert passwords.is_right(PASSWORD, user.password_hash)


def test_a_new_password_ends_reset_links_and_no_session_of_another_user(session: Session) -> None:
    user = add_person(session)
    other = add_person(session, "bob@example.org")
    kept_elsewhere = service.sign_in(session, other.email, PASSWORD, BROWSER)
    links.create_reset_link(session, user)

    service.change_password(session, user.id, PASSWORD, NEW, keep=None)

    assert find_stored(session, kept_elsewhere) is not None
    assert not session.scalars(select(OneTimeLink)).all()


def test_two_users_cannot_have_the_same_address(session: Session) -> None:
    add_person(session)
    with pytest.raises(Conflict, match="exists already"):
        service.create_user(session, email="ADA@example.org", name="Ada", password=PASSWORD)
    assert len(session.scalars(select(User)).all()) == 1


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
