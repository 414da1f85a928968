"""What webhooks can tell, and how far a telling is: closed lists."""

from enum import StrEnum


class WebhookEvent(StrEnum):
    """What a webhook can subscribe to."""

    RUN_FINISHED = "run.finished"
    CHANGE_CONFIRMED = "change.confirmed"
    SCHEDULE_MISSED = "schedule.missed"


# Sent by the test button only; every webhook takes it.
TEST_EVENT = "webhook.test"


class DeliveryStatus(StrEnum):
    """PENDING until the receiver answers 2xx, or until no attempt is left."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
