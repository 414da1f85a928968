"""The ids by which log lines name a run."""

from typing import NamedTuple
from uuid import UUID


class RunIds(NamedTuple):
    """A run and the request of the API that began it.

    Attributes:
        request_id: None for runs of schedules, and of older versions.
    """

    run_id: UUID
    request_id: str | None

    def list_log_fields(self) -> dict[str, str]:
        """Return the fields of log lines about the run."""
        request = {} if self.request_id is None else {"request_id": self.request_id}
        return {"run_id": str(self.run_id), **request}
