"""Restrictions of access tokens: hosts and frameworks of their runs, and services to guard.

The restrictions of the access token that sent a request apply to every run and guard that it
creates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from backend.core.documents import RunRequest
from backend.core.errors import InvalidRequest

_RESTRICTIONS = "restrictions"


@dataclass(frozen=True)
class Restrictions:
    """The hosts, frameworks and services that an access token may use; None allows all.

    Attributes:
        hosts: names of bench hosts.
        frameworks: slugs of frameworks.
        services: names of own services that it may guard. Otherwise, it can then only read.
    """

    hosts: Sequence[str] | None = None
    frameworks: Sequence[str] | None = None
    services: Sequence[str] | None = None


def set_restrictions(session: Session, restrictions: Restrictions) -> None:
    """Restrict the runs that this session creates or checks."""
    session.info[_RESTRICTIONS] = restrictions


def restricts_hosts(session: Session) -> bool:
    """Return whether the runs that this session creates may use certain hosts only."""
    found: Restrictions = session.info.get(_RESTRICTIONS, Restrictions())
    return found.hosts is not None


def restrict_guard(session: Session, service: str, host: str | None = None) -> None:
    """Raise InvalidRequest if the session may not guard an own service.

    Args:
        host: the bench host that measures; None if the caller has measured.
    """
    found: Restrictions = session.info.get(_RESTRICTIONS, Restrictions())
    field, detail = "service", ""
    if found.services is not None and service not in found.services:
        detail = f"This access token does not allow {service!r}; it allows {_list(found.services)}."
    elif found.frameworks is not None:
        detail = f"This access token allows {_list(found.frameworks)} only, and no own services."
    elif found.hosts is not None and host is not None and host not in found.hosts:
        field = "on"
        detail = f"This access token does not allow host {host!r}; it allows {_list(found.hosts)}."
    if detail:
        raise InvalidRequest.of([{"field": field, "detail": detail}])


def enforce_restrictions(session: Session, request: RunRequest) -> RunRequest:
    """Return the request as the session may create it; raises InvalidRequest.

    Sessions of Tacho itself are not restricted.
    """
    return restrict(request, session.info.get(_RESTRICTIONS, Restrictions()))


def restrict(request: RunRequest, restrictions: Restrictions) -> RunRequest:
    """Return the request, with a host if the token is restricted to a single host.

    Raises:
        InvalidRequest: with every problem of `find_problems`.
    """
    problems = find_problems(request, restrictions)
    if problems:
        raise InvalidRequest.of(problems)
    if request.host is None and restrictions.hosts is not None:
        return replace(request, host=restrictions.hosts[0])
    return request


def find_problems(request: RunRequest, restrictions: Restrictions) -> list[dict[str, str]]:
    """Return what the token may not use, each with its field."""
    problems = []
    hosts, frameworks = restrictions.hosts, restrictions.frameworks
    if hosts is not None and not _may_run_on(request.host, hosts):
        named = "a run without a host" if request.host is None else f"host {request.host!r}"
        detail = f"This access token does not allow {named}; it allows {_list(hosts)}."
        problems.append({"field": "host", "detail": detail})
    if frameworks is not None:
        problems += [
            {
                "field": f"cells.{index}.framework",
                "detail": f"This access token does not allow {cell.framework!r}; it allows "
                f"{_list(frameworks)}.",
            }
            for index, cell in enumerate(request.cells)
            if cell.framework not in frameworks
        ]
    return problems


def _may_run_on(host: str | None, hosts: Sequence[str]) -> bool:
    return len(hosts) == 1 if host is None else host in hosts


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
