"""Convert all errors to application/problem+json (RFC 9457) with a stable code."""

import json
import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import psycopg
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.routing import Match

from backend.api.http.problems import RequestTimeout, find_status
from backend.api.process.outages import describe_error, is_connection_lost
from backend.core.db import DATABASE_DISK_FULL, is_disk_full
from backend.core.errors import (
    InvalidRequest,
    LimitExceeded,
    TachoError,
    Unauthorized,
    sum_up_problems,
)
from backend.core.log_context import current_log_fields
from backend.core.validation import MOST_FAULTS, UNION_TAG, explain_fault

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
# After this time a client may repeat a request that got 503.
_RETRY_SECONDS = 2
_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")


class ProblemResponse(JSONResponse):
    """A problem document as ASCII, because it quotes requests, which may contain any text."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


def problem(
    status: int,
    code: str,
    title: str,
    detail: str,
    headers: dict[str, str] | None = None,
    **fields: Any,
) -> JSONResponse:
    """Return a problem document. `instance` is the id of the request, which log lines have too."""
    request_id = current_log_fields().get("request_id") or str(uuid4())
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
        "instance": f"urn:uuid:{request_id}",
        **fields,
    }
    # The cause of a 503 is logged once, where it is noticed.
    level = logging.DEBUG if status == HTTPStatus.SERVICE_UNAVAILABLE else logging.INFO
    logger.log(level, "%s %s %s: %s", status, code, body["instance"], detail)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers = {"Retry-After": str(_RETRY_SECONDS)} | (headers or {})
    return ProblemResponse(jsonable_encoder(body), status_code=status, headers=headers)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem document."""
    app.add_exception_handler(TachoError, _tacho_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    for error in (OperationalError, InterfaceError, InternalError, PoolTimeout):
        app.add_exception_handler(error, _database_error)
    for refusal in (ProgrammingError, psycopg.ProgrammingError):
        app.add_exception_handler(refusal, _refused_statement)
    app.add_exception_handler(Exception, _unexpected)


def _tacho_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, TachoError)
    headers = None
    if isinstance(error, Unauthorized):
        headers = {"WWW-Authenticate": "Bearer"}
    elif isinstance(error, LimitExceeded):
        headers = {"Retry-After": str(error.retry_after_seconds)}
    elif isinstance(error, RequestTimeout):
        headers = {"Connection": "close"}
    status = find_status(type(error)) or HTTPStatus.INTERNAL_SERVER_ERROR
    return problem(status, error.code, error.title, error.detail, headers, **error.fields)


def _validation_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults: Sequence[Any] = error.errors()
    problems = [
        {"field": _field(fault), "detail": _detail(fault)} for fault in faults[:MOST_FAULTS]
    ]
    detail = sum_up_problems(problems, len(faults))
    return problem(422, "invalid_request", "Invalid request", detail, problems=problems)


def _field(fault: Any) -> str:
    """Return the dotted path within the body, or the name of the parameter."""
    if fault["type"] == "json_invalid":
        return "body"
    # Tags name the variants of a union, which are not part of the body.
    where = [str(part) for part in fault["loc"] if not str(part).startswith(UNION_TAG)]
    return ".".join(where[1:]) or where[0]


def _detail(fault: Any) -> str:
    if fault["type"] == "json_invalid":
        return f"is not valid JSON (at character {fault['loc'][-1]}); correct it."
    return explain_fault(fault)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, TachoError):
        # FastAPI replaces each error of reading the body.
        return _tacho_error(request, error.__cause__)
    if error.status_code == 400 and error.__cause__ is not None:
        # FastAPI responds with 400 if Python cannot read the body.
        detail = (
            "is not valid JSON: not UTF-8, nested too deep, or with a number of thousands of "
            "digits; correct it."
        )
        fault = {"field": "body", "detail": detail}
        return _tacho_error(request, InvalidRequest(f"body: {detail}", [fault]))
    title = HTTPStatus(error.status_code).phrase
    code = title.lower().replace(" ", "_")
    detail = f"{request.method} {request.url.path}: {error.detail}"
    headers = dict(error.headers or {})
    if error.status_code == 405 and (allowed := _allowed_methods(request)):
        headers["Allow"] = ", ".join(allowed)
    return problem(error.status_code, code, title, detail, headers=headers)


def _allowed_methods(request: Request) -> list[str]:
    """Return all methods of the path. The router lists only the methods of its first route."""
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.routes
        )
    ]


def _database_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, PoolTimeout):
        detail = "All database connections of the API are in use. Try again in a moment."
    elif is_disk_full(error):
        detail = f"{DATABASE_DISK_FULL}, then try again."
    elif _sqlstate(error) in _TOO_SLOW:
        detail = (
            "The database took too long over this request. Reduce the request, or try again later."
        )
    elif isinstance(error, OperationalError) or is_connection_lost(error):
        detail = "The database does not answer; try again in a moment."
    else:
        return _unexpected(request, error)
    if not is_connection_lost(error):
        logger.error("%s %s: %s", request.method, request.url.path, describe_error(error))
    return problem(503, "unavailable", "Unavailable", detail)


async def _refused_statement(request: Request, error: Exception) -> JSONResponse:
    """Explain a statement that fails because the schema was migrated a moment ago."""
    try:
        mismatch = await request.state.resources.database.find_schema_mismatch()
    except (DBAPIError, TachoError):
        mismatch = None
    if mismatch is None:
        return _unexpected(request, error)
    return _tacho_error(request, mismatch)


# The PostgreSQL error codes for a statement and for a transaction that exceeded its time limit.
_TOO_SLOW = frozenset({"57014", "25P03"})


def _sqlstate(error: Exception) -> str | None:
    return getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    answer = problem(
        500,
        "internal_error",
        "Internal error",
        f"{request.method} {request.url.path} met an error that Tacho did not foresee. Quote the "
        "instance below; the API's log has the trace.",
    )
    logger.error("unforeseen", exc_info=error)
    return answer
