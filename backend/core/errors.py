"""The error classes of Tacho.

TachoError
├── NotFound                    not_found
│   └── WrongCode               not_found        (of a sign-in of the command line)
├── Gone                        gone             (it was removed, for good)
├── InvalidRequest              invalid_request
│   ├── ManifestInvalid         manifest_invalid
│   └── WrongPassword           invalid_request  (the current one, to set another)
├── TooLarge                    too_large
├── Unauthorized                unauthorized
├── Forbidden                   forbidden
├── Conflict                    conflict
│   ├── IdempotencyMismatch     idempotency_mismatch
│   └── TakenOver               taken_over       (the trial belongs to another attempt)
├── LimitExceeded               limit_exceeded   (too many requests, queued trials, minutes)
├── Unavailable                 unavailable
│   └── SchemaMismatch          schema_mismatch  (in backend.core.schema)
└── TrialFailure                trial_failed     (why a trial has no result)
    ├── VerificationFailed      verification_failed
    ├── ServiceDied             service_died
    ├── BackingServiceDied      backing_service_died
    ├── LoadFailed              load_failed
    │   └── LoadGeneratorDied   load_generator_died
    ├── SourcesChanged          sources_changed
    ├── LoadHostLost            load_host_lost
    ├── TrialCancelled          cancelled
    └── WorkerLost              worker_lost

worker.runtime.errors adds the errors of runtimes. backend.api.http.problems has the HTTP status of
each class.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import ClassVar, Self

from backend.core.documents import ConformanceCheck
from backend.core.units import FailureCause

_MOST_PROBLEMS = 100


class TachoError(Exception):
    """Base of all errors that Tacho raises.

    If the error ends a trial, `cause` is the party at fault and `evidence` is stored with it.

    Args:
        detail: what happened, why, and what to do, for users.
        **fields: further facts, JSON serialisable.
    """

    code: ClassVar[str] = "internal_error"
    title: ClassVar[str] = "Internal error"
    cause: FailureCause = FailureCause.TACHO
    evidence: Sequence[ConformanceCheck] = ()

    def __init__(self, detail: str, **fields: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.fields = fields


class NotFound(TachoError):
    code = "not_found"
    title = "Not found"
    cause = FailureCause.USER


class WrongCode(NotFound):
    """No sign-in of the command line waits with the code that a person entered."""


class Gone(TachoError):
    """It existed, and was removed for good."""

    code = "gone"
    title = "Removed"


def sum_up_problems(problems: Sequence[Mapping[str, str]], count: int | None = None) -> str:
    """Return the first problem with its field, and how many more there are.

    Args:
        count: of all problems, if only some of them are given.
    """
    more = (count or len(problems)) - 1
    first = problems[0]
    return f"{first['field']}: {first['detail']}{f' (and {more} more)' if more else ''}"


class InvalidRequest(TachoError):
    """The request is well-formed but cannot be fulfilled.

    `problems` lists all problems, each `{"field": …, "detail": …}`.
    """

    code = "invalid_request"
    title = "Invalid request"

    def __init__(
        self, detail: str, problems: Sequence[dict[str, str]] = (), **fields: object
    ) -> None:
        super().__init__(detail, **({"problems": list(problems)} if problems else {}), **fields)
        self.problems = problems

    @classmethod
    def of(cls, problems: Sequence[dict[str, str]]) -> Self:
        """Return the error of these problems. There must be at least one."""
        return cls(sum_up_problems(problems), problems[:_MOST_PROBLEMS])

    @classmethod
    def about(cls, field: str, detail: str) -> Self:
        """Return the error of one field."""
        return cls.of([{"field": field, "detail": detail}])


class ManifestInvalid(InvalidRequest):
    """A manifest of the catalogue is wrong; the detail names file, key and fix."""

    code = "manifest_invalid"
    title = "Manifest invalid"
    cause = FailureCause.USER


class WrongPassword(InvalidRequest):
    """A signed-in person gave a wrong current password."""


class TooLarge(TachoError):
    code = "too_large"
    title = "Too large"


class Unauthorized(TachoError):
    code = "unauthorized"
    title = "Authentication required"


class Forbidden(TachoError):
    """The caller is known, but may not do this."""

    code = "forbidden"
    title = "Not permitted"


class Conflict(TachoError):
    code = "conflict"
    title = "Conflict"


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"
    title = "Idempotency-Key was used for another request"


class TakenOver(Conflict):
    """A worker writes to a trial that it no longer holds: another attempt has it, or it ended."""

    code = "taken_over"
    title = "The trial was taken over"


class LimitExceeded(TachoError):
    """The caller or workspace used up a limit.

    Args:
        retry_after_seconds: after which time the same request can succeed.
    """

    code = "limit_exceeded"
    title = "Limit exceeded"
    cause = FailureCause.USER

    def __init__(self, detail: str, retry_after_seconds: float) -> None:
        self.retry_after_seconds = max(1, ceil(retry_after_seconds))
        super().__init__(detail, retry_after_seconds=self.retry_after_seconds)


class Unavailable(TachoError):
    code = "unavailable"
    title = "Unavailable"


class TrialFailure(TachoError):
    """A trial ended without a result."""

    code = "trial_failed"
    title = "Trial failed"


class VerificationFailed(TrialFailure):
    """The service failed some of the checks; `evidence` has all of them."""

    code = "verification_failed"
    title = "The service does not honour the scenario's contract"
    cause = FailureCause.SERVICE

    def __init__(self, detail: str, evidence: Sequence[ConformanceCheck] = ()) -> None:
        super().__init__(detail)
        self.evidence = evidence


class LoadFailed(TrialFailure):
    code = "load_failed"
    title = "The load generator failed"
    cause = FailureCause.LOAD_GENERATOR


class LoadGeneratorDied(LoadFailed):
    code = "load_generator_died"
    title = "The load generator died"


class LoadHostLost(TrialFailure):
    """A load host did not answer, or could not send its part of the load."""

    code = "load_host_lost"
    title = "A load host was lost"
    cause = FailureCause.INFRASTRUCTURE


class ServiceDied(TrialFailure):
    """The measured service or a peer ended, but Tacho had not stopped it."""

    code = "service_died"
    title = "The service died"
    cause = FailureCause.SERVICE


class BackingServiceDied(TrialFailure):
    """A service that Tacho runs for the scenario ended, such as the slow upstream."""

    code = "backing_service_died"
    title = "A backing service died"
    cause = FailureCause.INFRASTRUCTURE


class SourcesChanged(TrialFailure):
    """The files of a framework or scenario are not those for which the run was requested."""

    code = "sources_changed"
    title = "The files have changed since the run was requested"
    cause = FailureCause.USER


class TrialCancelled(TrialFailure):
    code = "cancelled"
    title = "Cancelled"
    cause = FailureCause.USER


class WorkerLost(TrialFailure):
    code = "worker_lost"
    title = "The worker was lost"
    cause = FailureCause.INFRASTRUCTURE
