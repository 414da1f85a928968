"""One-time links work once, for a limited time, for the right person, and only one at a time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import Conflict, InvalidRequest, NotFound, Unauthorized
from backend.core.models import OneTimeLink, User, UserSession
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import links, repository, service
from backend.core.people.accounts.links import LinkAnswer
from backend.core.statuses import Role
from backend.tests.accounts import (
    BROWSER,
    PASSWORD,
    add_person,
    expire_links,
    get_workspace,
    invite,
    list_session_ids,
)

NEW = "another long password"
FIRST = LinkAnswer(email="Op@Example.org", name="Op", password=NEW)


def find_role(session: Session, email: str) -> Role | None:
    user = repository.find_user_by_email(session, email)
    assert user is not None
    workspace_id = get_workspace(session).id
    membership = repository.find_membership(session, workspace_id, user.id)
    return None if membership is None else membership.role


def test_the_first_operator_operates_and_owns_the_first_workspace(session: Session) -> None:
    created = links.create_first_operator_link(session)
    lifetime = created.expires_at - datetime.now(UTC)

    key = links.use_link(session, created.key, FIRST, BROWSER)

    user = repository.find_user_by_email(session, "op@example.org")
    assert user is not None
    assert user.is_operator
    assert user.email == "op@example.org"
    assert find_role(session, user.email) is Role.OWNER
    signed_in = repository.find_session_by_key(session, hash_key(key))
    assert signed_in is not None
    assert signed_in.user_id == user.id
    assert timedelta(hours=23) < lifetime <= timedelta(hours=24)


def test_the_key_of_a_link_is_not_stored(session: Session) -> None:
    created = links.create_first_operator_link(session)

    stored = session.scalars(select(OneTimeLink)).one()

    assert stored.key_hash == hash_key(created.key)
    assert created.key not in repr(vars(stored))


def test_no_link_for_a_first_operator_once_there_is_a_user(session: Session) -> None:
    earlier = links.create_first_operator_link(session)
    add_person(session)

    with pytest.raises(Conflict, match="has users already"):
        links.create_first_operator_link(session)
    with pytest.raises(NotFound, match="does not work"):
        links.read_link(session, earlier.key)
    with pytest.raises(NotFound, match="does not work"):
        links.use_link(session, earlier.key, FIRST, BROWSER)


def test_a_link_works_once(session: Session) -> None:
    key = invite(session)
    links.use_link(session, key, FIRST, BROWSER)
    other = LinkAnswer(email="other@example.org", name="Other", password=NEW)

    for use in (
        lambda: links.read_link(session, key),
        lambda: links.use_link(session, key, other, BROWSER),
    ):
        with pytest.raises(NotFound, match="does not work"):
            use()


def test_an_expired_or_unknown_link_does_not_work(session: Session) -> None:
    key = invite(session)
    expire_links(session)

    for tried in (key, "unknown", ""):
        with pytest.raises(NotFound, match="does not work"):
            links.read_link(session, tried)
        with pytest.raises(NotFound, match="does not work"):
            links.use_link(session, tried, FIRST, BROWSER)


def test_an_invitation_creates_a_member_with_its_role(session: Session) -> None:
    add_person(session)
    key = invite(session, Role.MAINTAINER, "new@example.org")

    assert not links.has_account(session, links.read_link(session, key))
    links.use_link(session, key, LinkAnswer(name="New", password=NEW), BROWSER)

    user = repository.find_user_by_email(session, "new@example.org")
    assert user is not None
    assert not user.is_operator
    assert find_role(session, user.email) is Role.MAINTAINER


@pytest.mark.parametrize("field", ["name", "email", "password"])
def test_a_new_account_needs_name_address_and_password(session: Session, field: str) -> None:
    given = {"name": "New", "email": "new@example.org", "password": NEW} | {field: None}
    with pytest.raises(InvalidRequest, match=f"{field}: is required"):
        links.use_link(session, invite(session), LinkAnswer(**given), BROWSER)


def test_an_existing_account_joins_with_its_password(session: Session) -> None:
    user = add_person(session, role=None)
    key = invite(session, email=user.email)
    assert links.has_account(session, links.read_link(session, key))

    with pytest.raises(Unauthorized), session.begin_nested():
        links.use_link(session, key, LinkAnswer(password=NEW), BROWSER)
    links.use_link(session, key, LinkAnswer(password=PASSWORD), BROWSER)

    assert find_role(session, user.email) is Role.MEMBER


def test_a_signed_in_user_joins_without_a_password(session: Session) -> None:
    user = add_person(session, role=None)

    links.use_link(session, invite(session, Role.VIEWER), LinkAnswer(), BROWSER, user.id)

    assert find_role(session, user.email) is Role.VIEWER


def test_an_invitation_for_someone_else_is_refused(session: Session) -> None:
    user = add_person(session, role=None)
    key = invite(session, email="other@example.org")

    with (
        pytest.raises(Conflict, match=r"for other@example\.org, not for"),
        session.begin_nested(),
    ):
        links.use_link(session, key, LinkAnswer(), BROWSER, user.id)
    with pytest.raises(Conflict, match=r"for other@example\.org, not for"):
        links.use_link(session, key, LinkAnswer(email=user.email, password=PASSWORD), BROWSER)


def test_an_invitation_does_not_change_the_role_of_a_member(session: Session) -> None:
    user = add_person(session, role=Role.OWNER)

    with pytest.raises(Conflict, match="is a member"):
        links.use_link(session, invite(session, Role.VIEWER), LinkAnswer(), BROWSER, user.id)

    assert find_role(session, user.email) is Role.OWNER


def test_a_reset_link_sets_the_password_and_ends_all_sessions(session: Session) -> None:
    user = add_person(session)
    service.sign_in(session, user.email, PASSWORD, BROWSER)
    replaced = links.create_reset_link(session, user)
    created = links.create_reset_link(session, user)

    key = links.use_link(session, created.key, LinkAnswer(password=NEW), BROWSER)

    signed_in = repository.find_session_by_key(session, hash_key(key))
    assert signed_in is not None
    assert list_session_ids(session, user.id) == [signed_in.id]
    service.check_password(session, user.email, NEW)
    with pytest.raises(Unauthorized):
        service.check_password(session, user.email, PASSWORD)
    with pytest.raises(NotFound):
        links.use_link(session, replaced.key, LinkAnswer(password=PASSWORD), BROWSER)


def test_a_disabled_user_cannot_reset_the_password(session: Session) -> None:
    add_person(session, "op@example.org", is_operator=True)
    user = add_person(session)
    created = links.create_reset_link(session, user)
    user.disabled_at = datetime.now(UTC)
    session.flush()

    with pytest.raises(NotFound):
        links.use_link(session, created.key, LinkAnswer(password=NEW), BROWSER)
    with pytest.raises(Conflict, match="is disabled"):
        links.create_reset_link(session, user)


def test_only_an_operator_gets_a_reset_link_from_the_command(session: Session) -> None:
    add_person(session)
    operator = add_person(session, "op@example.org", is_operator=True)

    created = links.create_operator_reset_link(session, "OP@example.org")

    assert links.read_link(session, created.key).user_id == operator.id
    for email in ("ada@example.org", "nobody@example.org"):
        with pytest.raises(NotFound, match="No operator has"):
            links.create_operator_reset_link(session, email)


def use_at_once(keys: list[str]) -> list[bool]:
    """Use each key in a thread of its own, and return which uses succeeded."""

    def use(numbered: tuple[int, str]) -> bool:
        number, key = numbered
        answer = LinkAnswer(email=f"{number}@example.org", name="New", password=NEW)
        try:
            with unit_of_work() as session:
                links.use_link(session, key, answer, BROWSER)
        except NotFound:
            return False
        return True

    with ThreadPoolExecutor(len(keys)) as threads:
        return list(threads.map(use, enumerate(keys)))


def count_users() -> tuple[int, int]:
    with unit_of_work() as session:
        users = session.scalar(select(func.count()).select_from(User)) or 0
        return users, session.scalar(select(func.count()).select_from(UserSession)) or 0


def test_of_concurrent_uses_of_one_link_one_succeeds(database: Settings) -> None:
    with unit_of_work() as session:
        key = invite(session)

    assert sum(use_at_once([key] * 5)) == 1
    assert count_users() == (1, 1)


def test_of_concurrent_first_operators_with_different_links_one_succeeds(
    database: Settings,
) -> None:
    with unit_of_work() as session:
        keys = [links.create_first_operator_link(session).key for _ in range(4)]

    assert sum(use_at_once(keys)) == 1
    assert count_users() == (1, 1)
