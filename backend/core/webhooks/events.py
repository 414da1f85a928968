"""Events of webhooks and statuses of deliveries, as closed lists."""

from enum import StrEnum


class WebhookEvent(StrEnum):
    """The events that a webhook can subscribe to."""

    RUN_FINISHED = "run.finished"
    CHANGE_CONFIRMED = "change.confirmed"
    SCHEDULE_MISSED = "schedule.missed"


# Sent by the test button only; every webhook receives it.
TEST_EVENT = "webhook.test"


class DeliveryStatus(StrEnum):
    """PENDING until the receiver answers 2xx, or until no attempt is left."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
