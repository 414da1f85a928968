"""Webhooks and the log of their deliveries."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, StrictBool

from backend.api.schemas import Name, RequestBody, Schema
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
