"""One-time links: for the right person, for a limited time, and used by one request at a time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import Conflict, NotFound
from backend.core.models import User, UserSession
from backend.core.people.accounts import links, repository
from backend.core.people.accounts.links import LinkAnswer
from backend.core.statuses import Role
from backend.tests.accounts import BROWSER, PASSWORD, add_person, get_workspace, invite

NEW = "another long password"
FIRST = LinkAnswer(email="Op@Example.org", name="Op", password=NEW)


def find_role(session: Session, email: str) -> Role | None:
    user = repository.find_user_by_email(session, email)
    assert user is not None
    workspace_id = get_workspace(session).id
    membership = repository.find_membership(session, workspace_id, user.id)
    return None if membership is None else membership.role


def test_no_link_for_a_first_operator_once_there_is_a_user(session: Session) -> None:
    earlier = links.create_first_operator_link(session)
    add_person(session)

    with pytest.raises(Conflict, match="has users already"):
        links.create_first_operator_link(session)
    with pytest.raises(NotFound, match="does not work"):
        links.read_link(session, earlier.key)
    with pytest.raises(NotFound, match="does not work"):
        links.use_link(session, earlier.key, FIRST, BROWSER)


def test_an_invitation_for_someone_else_is_refused(session: Session) -> None:
    user = add_person(session, role=None)
    key = invite(session, email="other@example.org")

    with pytest.raises(Conflict, match=r"for other@example\.org, not for"), session.begin_nested():
        links.use_link(session, key, LinkAnswer(), BROWSER, user.id)
    with pytest.raises(Conflict, match=r"for other@example\.org, not for"):
        links.use_link(session, key, LinkAnswer(email=user.email, password=PASSWORD), BROWSER)


def test_an_invitation_does_not_change_the_role_of_a_member(session: Session) -> None:
    user = add_person(session, role=Role.OWNER)

    with pytest.raises(Conflict, match="is a member"):
        links.use_link(session, invite(session, Role.VIEWER), LinkAnswer(), BROWSER, user.id)

    assert find_role(session, user.email) is Role.OWNER


def test_a_new_reset_link_replaces_the_earlier_one(session: Session) -> None:
    user = add_person(session)
    replaced, created = (links.create_reset_link(session, user) for _ in range(2))

    with pytest.raises(NotFound):
        links.use_link(session, replaced.key, LinkAnswer(password=NEW), BROWSER)
    links.use_link(session, created.key, LinkAnswer(password=NEW), BROWSER)


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
