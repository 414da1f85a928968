"""Problem documents (RFC 9457): the status of each error, and their description in OpenAPI."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from backend.core.errors import (
    Conflict,
    Forbidden,
    Gone,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    TachoError,
    TooLarge,
    TrialFailure,
    Unauthorized,
    Unavailable,
)
from backend.core.measurement.measurements.histogram import HistogramInvalid
from backend.platform.errors import PlatformError


class RequestTimeout(TachoError):
    """The body of a request did not arrive in time."""

    code = "request_timeout"
    title = "Request timeout"


class HeadersTooLarge(TachoError):
    """The headers of a request, with its address, have too many bytes or lines."""

    code = "headers_too_large"
    title = "Headers too large"


# A class that is not listed has the status of its nearest base class in the table.
STATUSES: Mapping[type[TachoError], HTTPStatus] = {
    Unauthorized: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    Gone: HTTPStatus.GONE,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    RequestTimeout: HTTPStatus.REQUEST_TIMEOUT,
    HeadersTooLarge: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    InvalidRequest: HTTPStatus.UNPROCESSABLE_ENTITY,
    LimitExceeded: HTTPStatus.TOO_MANY_REQUESTS,
    TrialFailure: HTTPStatus.INTERNAL_SERVER_ERROR,
    HistogramInvalid: HTTPStatus.INTERNAL_SERVER_ERROR,
    PlatformError: HTTPStatus.INTERNAL_SERVER_ERROR,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}


def find_status(error: type[TachoError]) -> HTTPStatus | None:
    """Return the HTTP status of a class of errors; None for a class without one."""
    bases = (base for base in error.__mro__ if issubclass(base, TachoError))
    return next((STATUSES[base] for base in bases if base in STATUSES), None)


class FieldProblem(BaseModel):
    """A problem with one field of a request."""

    model_config = ConfigDict(extra="forbid")

    field: str = Field(examples=["cells.0.framework"])
    detail: str = Field(examples=["There is no framework 'nodejs'."])


class Problem(BaseModel):
    """An error as described in RFC 9457. It may have further fields."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Invalid request"])
    status: int = Field(examples=[422])
    detail: str
    code: str = Field(examples=["invalid_request"])
    instance: str = Field(description="Identifier of this error. Quote it in bug reports.")
    problems: list[FieldProblem] | None = None


_DETAILS: dict[type[TachoError], str] = {
    Unauthorized: "Sign in, or send 'Authorization: Bearer <token>' with an access token.",
    Forbidden: "This needs the role maintainer in workspace 'main', and yours is member.",
    NotFound: "There is no run 'k3v9q2mx4d'.",
    Conflict: "Run k3v9q2mx4d has ended as succeeded; there is nothing to cancel.",
    Gone: "Seconds were removed on 3 March 2027 by retention.",
    TooLarge: "cells: 10,000 are too many; one run takes at most 1,000. Split the run.",
    InvalidRequest: "cells.0.framework: There is no framework 'nodejs'.",
    HeadersTooLarge: "The headers of a request have at most 100 lines and 32,768 bytes, including "
    "the address. Send fewer headers, or a shorter address.",
    LimitExceeded: "You sent more than 1,200 requests in one minute. Try again in 20 s.",
    Unavailable: "The database does not answer; try again in a moment.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that can answer these errors, each with an example."""
    return {
        int(STATUSES[error]): {
            "description": error.title,
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                    "example": _example(error, detail),
                }
            },
        }
        for error, detail in _DETAILS.items()
        if STATUSES[error] in statuses
    }


def _example(error: type[TachoError], detail: str) -> dict[str, Any]:
    field, _, reason = detail.partition(": ")
    faults = [{"field": field, "detail": reason}]
    return {
        "type": "about:blank",
        "title": error.title,
        "status": STATUSES[error],
        "code": error.code,
        "detail": detail,
        "instance": "urn:uuid:6f1c6f0e-3d0c-4b0a-9a55-3c1f6f2f9a10",
        **({"problems": faults} if error is InvalidRequest else {}),
    }
