"""Workspaces: their names, what ends with them, and their members."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.errors import Conflict, InvalidRequest, NotFound
from backend.core.models import (
    AccessToken,
    Incident,
    Membership,
    Slo,
    Snapshot,
    StoredGuard,
    Workspace,
)
from backend.core.people.workspaces import repository, service
from backend.core.statuses import GuardVerdict, IncidentKind, Role
from backend.core.units import Metric
from backend.tests.accounts import add_member, add_token, add_workspace, get_workspace, sign_in
from backend.tests.factories import add_host, ask_run


def create(session: Session, name: str = "Web team", slug: str | None = None) -> Workspace:
    return service.create_workspace(session, name=name, slug=slug, owner_id=None)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Web team", "web-team"),
        ("Équipe  Réseau (2)", "equipe-reseau-2"),
        ("x" * 60, "x" * 40),
        (f"{'x' * 39} y", "x" * 39),
    ],
)
def test_a_slug_is_made_from_the_name(session: Session, name: str, slug: str) -> None:
    assert create(session, name).slug == slug


@pytest.mark.parametrize(
    "slug", ["", "a", "A1", "a b", "-ab", "ab-", "a_b", "ü1", "x" * 41, "ab\n"]
)
def test_other_slugs_are_refused(session: Session, slug: str) -> None:
    with pytest.raises(
        InvalidRequest, match="slug: must have 2 to 40 lower case letters"
    ) as refused:
        create(session, slug=slug)
    assert refused.value.problems[0]["field"] == "slug"


def test_a_workspace_is_deleted_with_what_it_owns(session: Session) -> None:
    workspace = create(session)
    host = add_host(session)
    user = add_member(session, workspace=workspace.slug)
    add_token(session, user, workspace=workspace.slug)
    sign_in(session, user, workspace=workspace.slug)
    session.add_all(
        [
            Slo(workspace_id=workspace.id, scenario="hello", metric=Metric.LATENCY_P99_MS, limit=1),
            Snapshot(hash="0" * 64, workspace_id=workspace.id, document="{}", run_ids=[]),
            StoredGuard(
                slug="k3v9q2mx4d",
                workspace_id=workspace.id,
                service="shop",
                verdict=GuardVerdict.UNKNOWN,
                headline="Unknown",
                report={},
                requested_by="Tacho",
            ),
            Incident(
                workspace_id=workspace.id,
                kind=IncidentKind.SERVICE,
                host_id=host.id,
                framework="node",
                at=datetime.now(UTC),
            ),
        ]
    )
    session.flush()

    service.delete_workspace(session, workspace.slug)

    assert repository.find_workspace(session, workspace.slug) is None
    for table in (Membership, AccessToken, Slo, Snapshot, StoredGuard, Incident):
        assert session.scalar(select(func.count()).select_from(table)) == 0


def test_a_workspace_with_runs_stays(session: Session) -> None:
    workspace = create(session)
    add_host(session)
    ask_run(session, workspace_id=workspace.id)

    with pytest.raises(Conflict, match="has runs"):
        service.delete_workspace(session, workspace.slug)


def test_an_owner_who_is_disabled_does_not_count(session: Session) -> None:
    workspace_id = get_workspace(session).id
    ada = add_member(session, "ada@example.org", Role.OWNER)
    bo = add_member(session, "bo@example.org", Role.OWNER)
    bo.disabled_at = datetime.now(UTC)

    with pytest.raises(Conflict, match="last owner"):
        service.remove_member(session, workspace_id, ada.id)
    service.remove_member(session, workspace_id, bo.id)


def test_a_removed_member_loses_personal_tokens_of_this_workspace_only(session: Session) -> None:
    add_workspace(session)
    bo = add_member(session, "bo@example.org", Role.MEMBER)
    add_member(session, "bo@example.org", Role.MEMBER, workspace="other")
    add_token(session, bo, name="here")
    add_token(session, bo, name="there", workspace="other")
    add_token(session, None, name="of the workspace")

    service.remove_member(session, get_workspace(session).id, bo.id)

    session.expire_all()
    revoked = select(AccessToken.name).where(AccessToken.revoked_at.is_not(None))
    assert session.scalars(revoked).all() == ["here"]


def test_invitations_of_another_workspace_cannot_be_revoked(session: Session) -> None:
    other = add_workspace(session)
    invitation, _ = service.invite(
        session, other.id, email=None, role=Role.VIEWER, days=1, created_by_id=None
    )

    with pytest.raises(NotFound):
        service.revoke_invitation(session, get_workspace(session).id, invitation.id)
    service.revoke_invitation(session, other.id, invitation.id)
    assert list(repository.list_invitations(session, other.id)) == []
