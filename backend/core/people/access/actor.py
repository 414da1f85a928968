"""The actor of a change, for the audit log; pure."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Actor:
    """The person, token or part of Tacho that makes a change.

    Attributes:
        label: for people, such as an e-mail address or the name of a token.
        address: the network address that the request came from; None without a request.
        workspace_id: the workspace of the request; None without one.
    """

    label: str
    user_id: UUID | None = None
    token_id: UUID | None = None
    address: str | None = None
    workspace_id: UUID | None = None


TACHO = Actor("Tacho")
