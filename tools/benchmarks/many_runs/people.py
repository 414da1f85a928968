"""Workspaces, people with roles, their browsers, and the audit log of what they did."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import cycle
from uuid import UUID

import httpx
from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from backend.core.db import new_id
from backend.core.models import Membership, User, UserSession, Workspace
from backend.core.people.access.keys import hash_key, make_key
from backend.core.people.accounts.service import SESSION_LIFETIME
from backend.core.statuses import Role
from tools.benchmarks.accounts import find_first_workspace
from tools.benchmarks.many_runs.copies import disable_triggers
from tools.benchmarks.many_runs.size import PEOPLE, YEARS

# As in backend.api.access.cookie, which workers do not import.
_COOKIE = "tacho_session"
_OTHER_WORKSPACES = 3
# Each of these people is an owner of the first workspace and an operator.
_OPERATORS = 20
_AUDIT = """
INSERT INTO audit_event (id, at, workspace_id, user_id, actor, address, action, subject_type,
  subject_id, before, after)
SELECT gen_random_uuid(), now() - :age * (number / CAST(:count AS float8)),
  CASE WHEN number % 20 = 0 THEN NULL ELSE run.workspace_id END, person.id, person.email,
  '192.0.2.' || number % 250, 'run.' || (ARRAY['created', 'changed', 'cancelled'])[1 + number % 3],
  'run', run.id::text, NULL, jsonb_build_object('title', run.title, 'visibility', run.visibility)
FROM generate_series(1, :count) AS number
JOIN (SELECT *, row_number() OVER (ORDER BY id) AS place FROM run) AS run
  ON run.place = 1 + number % (SELECT count(*) FROM run)
JOIN (SELECT *, row_number() OVER (ORDER BY id) AS place FROM "user") AS person
  ON person.place = 1 + number % (SELECT count(*) FROM "user")
"""


@dataclass(frozen=True)
class Browsers:
    """Cookies of signed-in browsers: of operators who own the first workspace, and of its other
    members."""

    operators: Sequence[str]
    members: Sequence[str]


class BrowsersInTurn(httpx.Auth):
    """Sends the cookie of the next browser with each request, because each person has limits.

    Paths in `restricted` are requested by operators only.
    """

    def __init__(self, browsers: Browsers, restricted: Sequence[str] = ()) -> None:
        self._operators = cycle(browsers.operators)
        self._members = cycle([*browsers.members, *browsers.operators])
        self._restricted = frozenset(restricted)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        is_restricted = request.url.path.removeprefix("/api/v1") in self._restricted
        key = next(self._operators if is_restricted else self._members)
        request.headers["Cookie"] = f"{_COOKIE}={key}"
        yield request


def add_people(session: Session) -> tuple[list[UUID], list[str]]:
    """Create workspaces, and people with roles in them.

    Returns:
        The ids of the workspaces, the first one first, and the e-mail addresses of the people.
    """
    workspaces = [find_first_workspace(session)]
    for number in range(_OTHER_WORKSPACES):
        workspace = Workspace(slug=f"team-{number}", name=f"Team {number}")
        session.add(workspace)
        session.flush()
        workspaces.append(workspace.id)
    roles = list(Role)
    emails = []
    for number in range(PEOPLE):
        is_operator = number < _OPERATORS
        user = User(
            email=f"person-{number:03}@example.org",
            name=f"Person {number}",
            is_operator=is_operator,
        )
        session.add(user)
        session.flush()
        first = Role.OWNER if is_operator else roles[number % len(roles)]
        # Everyone is in the first workspace, and half of the people in another one.
        for workspace_id, role in (
            (workspaces[0], first),
            *([(workspaces[1 + number % _OTHER_WORKSPACES], Role.MEMBER)] if number % 2 else []),
        ):
            session.add(Membership(workspace_id=workspace_id, user_id=user.id, role=role))
        emails.append(user.email)
    return workspaces, emails


def add_audit_log(session: Session, count: int) -> None:
    """Store entries about the runs, over all years."""
    disable_triggers(session)
    session.execute(text(_AUDIT), {"count": count, "age": timedelta(days=365 * YEARS)})


def open_browsers(session: Session) -> Browsers:
    """Sign everyone in, with the first workspace in view. Sessions of earlier runs end."""
    workspace_id = find_first_workspace(session)
    session.execute(delete(UserSession))
    keys: dict[bool, list[str]] = {True: [], False: []}
    for user in session.scalars(select(User).order_by(User.email)):
        key = make_key()
        keys[user.is_operator].append(key)
        session.add(
            UserSession(
                id=new_id(),
                key_hash=hash_key(key),
                user_id=user.id,
                workspace_id=workspace_id,
                address="127.0.0.1",
                user_agent="bench-scale",
                expires_at=func.now() + SESSION_LIFETIME,
            )
        )
    return Browsers(operators=keys[True], members=keys[False])


def to_document(browsers: Browsers) -> Mapping[str, Sequence[str]]:
    """Return the cookies for another process."""
    return asdict(browsers)
