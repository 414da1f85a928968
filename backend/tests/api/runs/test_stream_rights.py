"""An open event stream ends when its client may not open the run any more."""

from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import AccessToken, Membership, Run, User, UserSession
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.statuses import RunStatus
from backend.tests.accounts import add_member, add_token, add_user, sign_in
from backend.tests.api.runs.test_events import StreamedEvent, stream
from backend.tests.factories import HOST, ask_run
from backend.tests.live_events import sample_event

PAST = datetime.now(UTC) - timedelta(hours=1)
CLOSED = StreamedEvent("closed", None, {"detail": "You may not follow this run any more."})


def by_session(session: Session) -> dict[str, str]:
    return sign_in(session, add_member(session))


def by_personal_token(session: Session) -> dict[str, str]:
    return add_token(session, add_member(session))


def by_token_of_the_workspace(session: Session) -> dict[str, str]:
    add_member(session)
    return add_token(session)


LOSSES = {
    "session ended": (by_session, delete(UserSession)),
    "session expired": (by_session, update(UserSession).values(expires_at=PAST)),
    "membership removed": (by_session, delete(Membership)),
    "user disabled": (by_session, update(User).values(disabled_at=PAST)),
    "token revoked": (by_token_of_the_workspace, update(AccessToken).values(revoked_at=PAST)),
    "token expired": (by_personal_token, update(AccessToken).values(expires_at=PAST)),
    "membership of a token removed": (by_personal_token, delete(Membership)),
}


@pytest.fixture
def run_id(host_id: UUID) -> UUID:
    with unit_of_work() as session:
        # With a user, callers on this machine are anonymous.
        add_user(session, "root@example.org", is_operator=True)
        return ask_run(session, visibility="private").id


def follow(
    url: str, run_id: UUID, sender: dict[str, str] | None = None
) -> Generator[StreamedEvent]:
    """Begin to follow a run, and return its next events."""
    events = stream(url, run_id, sender=sender)
    assert next(events).name == "run"
    return events


@pytest.mark.parametrize("loss", LOSSES)
def test_a_stream_ends_with_the_right_to_open_the_run(
    live_url: str, run_id: UUID, loss: str
) -> None:
    enter: Callable[[Session], dict[str, str]] = LOSSES[loss][0]
    with unit_of_work() as session:
        sender = enter(session)
    events = follow(live_url, run_id, sender)
    publish(RunStream(HOST, run_id), sample_event(0))
    assert next(event for event in events if event.name != "run").data["second"] == 0

    with unit_of_work() as session:
        session.execute(LOSSES[loss][1])

    assert [event for event in events if event.name != "run"] == [CLOSED]


def test_only_those_who_may_not_open_a_private_run_lose_its_stream(
    live_url: str, run_id: UUID
) -> None:
    with unit_of_work() as session:
        member = sign_in(session, add_member(session))
        session.execute(update(Run).values(visibility="public"))
    anonymous, own = follow(live_url, run_id), follow(live_url, run_id, member)

    with unit_of_work() as session:
        session.execute(update(Run).values(visibility="private"))
    lost = [event for event in anonymous if event.name != "run"]
    publish(RunStream(HOST, run_id), sample_event(1), EndEvent(status=RunStatus.SUCCEEDED))
    kept = [event.name for event in own if event.name != "run"]

    assert lost == [CLOSED]
    assert kept == ["sample", "end"]


def test_the_stream_of_a_public_run_outlives_a_session(live_url: str, run_id: UUID) -> None:
    with unit_of_work() as session:
        member = sign_in(session, add_member(session))
        session.execute(update(Run).values(visibility="unlisted"))
    events, other = follow(live_url, run_id, member), follow(live_url, run_id)

    with unit_of_work() as session:
        session.execute(delete(UserSession))
        session.execute(update(Run).values(visibility="public"))
    # It is checked again before this run is private.
    publish(RunStream(HOST, run_id), sample_event(0), EndEvent(status=RunStatus.SUCCEEDED))

    for names in (
        [event.name for event in found if event.name != "run"] for found in (events, other)
    ):
        assert names == ["sample", "end"]
