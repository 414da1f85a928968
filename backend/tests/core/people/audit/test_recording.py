"""Sessions with an actor write an entry of the audit log for each change."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.changes.schedules.service import change_schedule, create_schedule
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import AuditEvent, Slo, UserSession, Webhook
from backend.core.people.access.actor import Actor
from backend.core.people.audit.recording import act_as_tacho, set_actor
from backend.core.results.snapshots import save
from backend.core.statuses import Role, Visibility, WebhookEvent
from backend.core.units import Metric
from backend.tests.accounts import add_member, add_token, add_user, get_workspace, sign_in
from backend.tests.factories import add_host, ask_run

ADA = UUID("01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e")


def act(session: Session) -> UUID:
    """Name an actor, and return the id of the first workspace."""
    session.flush()
    workspace_id = get_workspace(session).id
    set_actor(session, Actor("ada@example.org", ADA, None, "203.0.113.5", workspace_id))
    return workspace_id


def read(session: Session) -> Sequence[AuditEvent]:
    session.flush()
    return session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()


def actions(session: Session) -> list[str]:
    return [entry.action for entry in read(session)]


def test_a_session_without_an_actor_writes_nothing(session: Session) -> None:
    add_host(session)
    ask_run(session)
    add_member(session)

    assert actions(session) == []


def test_a_changed_run_is_recorded_with_the_values_before_and_after(session: Session) -> None:
    add_host(session)
    run = ask_run(session, title="Nightly")
    act(session)

    run.visibility = Visibility.PRIVATE
    session.flush()
    run.cancel_requested_at = func.now()

    changed, cancelled = read(session)
    assert changed.before == {"slug": run.slug, "visibility": "unlisted"}
    assert changed.after == {"slug": run.slug, "visibility": "private"}
    assert cancelled.before == {"slug": run.slug, "cancel_requested_at": None}
    assert cancelled.after == {"slug": run.slug, "cancel_requested_at": "now"}


def test_a_deleted_row_is_recorded_with_its_last_values(session: Session) -> None:
    workspace_id = get_workspace(session).id
    slo = Slo(workspace_id=workspace_id, scenario="hello", metric=Metric.LATENCY_P99_MS, limit=50)
    session.add(slo)
    act(session)

    session.delete(slo)

    [entry] = read(session)
    assert (entry.action, entry.subject_id) == ("slo.deleted", str(slo.id))
    assert entry.before == {
        "scenario": "hello",
        "parameters": {},
        "metric": "latency_p99_ms",
        "limit": 50,
    }
    assert entry.after is None


def test_changes_that_nobody_requested_are_not_recorded(session: Session) -> None:
    add_host(session)
    run = ask_run(session)
    act(session)

    run.finalization_attempts = 1
    run.visibility = Visibility.UNLISTED

    assert actions(session) == []


def test_a_paused_schedule_is_recorded_but_not_its_next_start(session: Session) -> None:
    add_host(session)
    workspace_id = act(session)
    schedule = create_schedule(
        session,
        workspace_id,
        name="Nightly",
        cron="0 3 * * *",
        time_zone="UTC",
        request=RunRequest(cells=[CellRequest("node", "hello", None, {})], trials=1),
    )
    schedule.next_at = datetime.now(UTC) + timedelta(days=2)
    session.flush()
    change_schedule(session, workspace_id, schedule.id, enabled=False)

    created, paused = read(session)
    assert created.action == "schedule.created"
    assert created.after is not None
    assert created.after["is_enabled"] is True
    assert created.after["request"]["cells"][0]["framework"] == "node"
    assert paused.before == {"name": "Nightly", "is_enabled": True}
    assert paused.after == {"name": "Nightly", "is_enabled": False}


def test_secrets_are_never_recorded(session: Session) -> None:
    workspace_id = act(session)
    user = add_user(session, password_hash="argon2-of-the-first")
    webhook = Webhook(
        workspace_id=workspace_id,
        url="https://example.org/hook",
        description="",
        events=[WebhookEvent.RUN_FINISHED],
        secret="whsec_of_the_first",
    )
    session.add(webhook)
    add_token(session, user)
    sign_in(session, user)
    session.flush()
    user.password_hash = "argon2-of-the-second"
    webhook.secret = "whsec_of_the_second"

    entries = read(session)
    text = str([(entry.before, entry.after) for entry in entries])
    for secret in ("argon2", "whsec", "key_hash"):
        assert secret not in text
    changed = sorted(entries[-2:], key=lambda entry: entry.action)
    assert [(entry.action, entry.after) for entry in changed] == [
        ("user.changed", {"email": "ada@example.org", "password_hash": "changed"}),
        ("webhook.changed", {"url": "https://example.org/hook", "secret": "changed"}),
    ]


def test_members_are_recorded_with_their_addresses(session: Session) -> None:
    workspace_id = act(session)
    add_member(session, "bo@example.org", Role.MEMBER)

    user, membership = read(session)
    assert (user.action, user.workspace_id) == ("user.created", None)
    assert (membership.action, membership.workspace_id) == ("membership.created", workspace_id)
    assert membership.after == {"user": "bo@example.org", "role": "member"}


def test_sessions_are_recorded_as_signed_in_and_out(session: Session) -> None:
    user = add_user(session)
    act(session)
    sign_in(session, user)
    session.flush()
    session.delete(session.scalars(select(UserSession)).one())

    assert actions(session) == ["user.signed_in", "user.signed_out"]


def test_a_change_that_is_rolled_back_leaves_no_entry(session: Session) -> None:
    workspace_id = act(session)
    savepoint = session.begin_nested()
    session.add(
        Slo(workspace_id=workspace_id, scenario="hello", metric=Metric.LATENCY_P99_MS, limit=50)
    )
    assert actions(session) == ["slo.created"]
    savepoint.rollback()

    assert actions(session) == []


def test_a_saved_comparison_is_recorded_once(session: Session) -> None:
    workspace_id = act(session)

    digest = save(session, workspace_id, {"cells": []}, [])
    assert save(session, workspace_id, {"cells": []}, []) == digest

    [entry] = read(session)
    assert (entry.action, entry.subject_id) == ("snapshot.created", digest)
    assert entry.after == {"is_private": False}


def test_tacho_is_the_actor_only_of_what_it_does_by_itself(session: Session) -> None:
    add_host(session)
    with act_as_tacho(session):
        ask_run(session)
    ask_run(session)
    act(session)
    with act_as_tacho(session):
        ask_run(session)

    assert [entry.actor for entry in read(session)] == ["Tacho", "ada@example.org"]
