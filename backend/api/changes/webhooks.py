"""/webhooks: subscriptions to events, and the log of deliveries. Only maintainers use them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path
from pydantic import ConfigDict, Field, StrictBool

from backend.addresses import add_addresses
from backend.api.deps import Sending, SessionDep, WorkspaceDep, needs
from backend.api.http.follow_ups import follow_ups
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, PageSize, decode_cursor, encode_cursor
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.changes.webhooks import delivery, repository, service
from backend.core.db import unit_of_work
from backend.core.models import WebhookDelivery
from backend.core.people.access.permissions import Permission
from backend.core.statuses import TEST_EVENT, DeliveryStatus, WebhookEvent

Events = Annotated[
    list[WebhookEvent],
    Field(min_length=1, max_length=len(WebhookEvent), examples=[["change.confirmed"]]),
]
Url = Annotated[
    str,
    Field(
        max_length=2_000,
        examples=["https://example.org/hook"],
        description="A public https address, unless TACHO_WEBHOOK_ALLOW contains its host.",
    ),
]


class WebhookIn(RequestBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"url": "https://example.org/hook", "events": ["change.confirmed"]}]
        }
    )

    url: Url
    events: Events
    description: Name = ""


class WebhookPatch(RequestBody):
    url: Url | None = None
    events: Events | None = None
    description: Name | None = None
    enabled: StrictBool | None = Field(
        None,
        description="Disabling drops pending deliveries. Enabling resets the count of failures.",
    )


class WebhookOut(Schema):
    id: UUID
    url: str
    events: list[WebhookEvent]
    description: str
    enabled: bool
    disabled_reason: str | None = Field(
        description="Why Tacho disabled it: too many failures, or a response with status 410."
    )
    failures_in_a_row: int = Field(
        description="Number of failed attempts since the last successful one."
    )
    created_at: datetime


class NewWebhookOut(WebhookOut):
    secret: str = Field(
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        description="Secret to verify `webhook-signature` (Standard Webhooks). No other response "
        "contains it.",
    )


class AttemptOut(Schema):
    """One POST of a delivery."""

    at: datetime
    status: int | None = Field(
        description="HTTP status of the response. Null if there was no response."
    )
    error: str | None = Field(examples=["No answer within 10 s."])
    duration_ms: float
    excerpt: str = Field(description="The beginning of the response body.")


class DeliveryOut(Schema):
    id: UUID = Field(description="The id is also the `webhook-id` of the message.")
    event: WebhookEvent | Literal["webhook.test"] = Field(examples=[TEST_EVENT])
    status: DeliveryStatus
    created_at: datetime
    next_attempt_at: datetime | None = Field(
        description="Time of the next attempt. Null unless the delivery is pending."
    )
    attempts: list[AttemptOut] = Field(description="The newest 20 attempts, oldest first.")
    body: str = Field(description="The JSON text as it is signed and sent.")


router = NounRouter(prefix="/webhooks", tags=["webhooks"], dependencies=[needs(Permission.MANAGE)])

_AN_ID = "01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"
WebhookId = Annotated[UUID, Path(examples=[_AN_ID])]
DeliveryId = Annotated[UUID, Path(examples=[_AN_ID])]


@router.get("", responses=problems(401))
def list_webhooks(session: SessionDep, workspace_id: WorkspaceDep) -> Page[WebhookOut]:
    """Return all webhooks, oldest first."""
    return Page(
        items=[
            WebhookOut.of(webhook) for webhook in repository.list_webhooks(session, workspace_id)
        ]
    )


@router.post(
    "",
    status_code=201,
    responses=problems(401, 409, 413, 422)
    | follow_ups(
        201,
        "webhook_id",
        "id",
        *("get_webhook", "change_webhook", "test_webhook", "list_deliveries", "delete_webhook"),
    ),
)
def create_webhook(
    session: SessionDep, workspace_id: WorkspaceDep, body: WebhookIn
) -> NewWebhookOut:
    """Create a webhook. Only this response contains the signing secret."""
    webhook = service.create_webhook(
        session, workspace_id, url=body.url, events=body.events, description=body.description
    )
    session.refresh(webhook)
    return NewWebhookOut.of(webhook)


@router.get("/{webhook_id}", responses=problems(401, 404, 422))
def get_webhook(
    session: SessionDep, workspace_id: WorkspaceDep, webhook_id: WebhookId
) -> WebhookOut:
    """Return a webhook, without its secret."""
    return WebhookOut.of(repository.get_webhook(session, workspace_id, webhook_id))


@router.patch("/{webhook_id}", responses=problems(401, 404, 413, 422))
def change_webhook(
    session: SessionDep, workspace_id: WorkspaceDep, webhook_id: WebhookId, body: WebhookPatch
) -> WebhookOut:
    """Change, enable or disable a webhook."""
    webhook = service.change_webhook(
        session,
        workspace_id,
        webhook_id,
        url=body.url,
        events=body.events,
        description=body.description,
        enabled=body.enabled,
    )
    return WebhookOut.of(webhook)


@router.delete("/{webhook_id}", status_code=204, responses=problems(401, 404, 413, 422))
def delete_webhook(session: SessionDep, workspace_id: WorkspaceDep, webhook_id: WebhookId) -> None:
    """Delete a webhook with its secret and its log."""
    session.delete(repository.get_webhook(session, workspace_id, webhook_id))


@router.post(
    "/{webhook_id}/test",
    dependencies=[Sending],
    responses=problems(401, 404, 409, 413, 422),
)
def test_webhook(workspace_id: WorkspaceDep, webhook_id: WebhookId) -> DeliveryOut:
    """Send `webhook.test` now and return the delivery, within about ten seconds."""
    with unit_of_work() as session:
        delivery_id = service.create_test(session, workspace_id, webhook_id).id
    return _attempt(webhook_id, delivery_id)


@router.get("/{webhook_id}/deliveries", responses=problems(401, 404, 422))
def list_deliveries(
    session: SessionDep,
    workspace_id: WorkspaceDep,
    webhook_id: WebhookId,
    cursor: Cursor = None,
    limit: PageSize = 20,
) -> Page[DeliveryOut]:
    """Return deliveries and their responses, newest first, of the last 30 days."""
    repository.get_webhook(session, workspace_id, webhook_id)
    before = decode_cursor(cursor) if cursor else None
    found = repository.list_deliveries(session, webhook_id, before, limit + 1)
    page = found[:limit]
    return Page(
        items=[_delivery_out(item) for item in page],
        next=encode_cursor(page[-1].created_at, page[-1].id) if len(found) > limit else None,
    )


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/redeliver",
    dependencies=[Sending],
    responses=problems(401, 404, 409, 413, 422),
)
def redeliver(
    workspace_id: WorkspaceDep, webhook_id: WebhookId, delivery_id: DeliveryId
) -> DeliveryOut:
    """Send an ended delivery again, with the same id and body. Failures are retried."""
    with unit_of_work() as session:
        repository.get_webhook(session, workspace_id, webhook_id)
        service.redeliver(session, webhook_id, delivery_id)
    return _attempt(webhook_id, delivery_id)


def _attempt(webhook_id: UUID, delivery_id: UUID) -> DeliveryOut:
    """Return the delivery after an attempt, made outside of any transaction."""
    delivery.attempt(add_addresses, delivery_id)
    with unit_of_work() as session:
        return _delivery_out(repository.lock_delivery(session, webhook_id, delivery_id))


def _delivery_out(delivery: WebhookDelivery) -> DeliveryOut:
    is_pending = delivery.status == DeliveryStatus.PENDING
    return DeliveryOut.of(
        delivery,
        next_attempt_at=delivery.due_at if is_pending else None,
        attempts=delivery.log,
        body=add_addresses(delivery.body),
    )
