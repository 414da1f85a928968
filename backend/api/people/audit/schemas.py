"""The audit log."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from backend.api.schemas import Schema


class AuditEventOut(Schema):
    """An entry of the audit log."""

    id: UUID
    at: datetime
    actor: str = Field(
        examples=["ada@example.org (Nightly CI)"],
        description="E-mail address of a user, name of a token, TACHO_TOKEN, or Tacho itself.",
    )
    address: str | None = Field(
        examples=["203.0.113.5"],
        description="Network address that the request came from. Null without a request.",
    )
    action: str = Field(examples=["run.created"])
    subject_type: str = Field(examples=["run"])
    subject_id: str = Field(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])
    before: dict[str, Any] | None = Field(
        examples=[{"slug": "k3v9q2mx4d", "visibility": "unlisted"}],
        description="The changed values before, with the names of the subject. Null if it is new.",
    )
    after: dict[str, Any] | None = Field(
        examples=[{"slug": "k3v9q2mx4d", "visibility": "public"}],
        description="The changed values after, with the names of the subject. Null if it is gone.",
    )


class AuditExport(Schema):
    items: list[AuditEventOut]
