"""Entries of the audit log as the API shows them."""

from backend.api.people.audit.schemas import AuditEventOut
from backend.core.models import AuditEvent


def event_out(event: AuditEvent) -> AuditEventOut:
    return AuditEventOut(
        id=event.id,
        at=event.at,
        actor=event.actor,
        address=event.address,
        action=event.action,
        subject_type=event.subject_type,
        subject_id=event.subject_id,
        before=event.before,
        after=event.after,
    )
