"""GET /badge/{framework}/{scenario}/{metric}.svg: the latest valid public result, for a README."""

from hashlib import sha256
from html import escape
from typing import Annotated, Any

from fastapi import Header, Path, Query, Response

from backend.api.deps import SessionDep, needs
from backend.api.http.negotiation import has_etag
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Name
from backend.core.measurement.statistics.estimate import is_open_interval
from backend.core.numbers import count_of, format_estimate, use_plain_spaces
from backend.core.people.access.permissions import Permission
from backend.core.results import repository
from backend.core.results.cell_result import bounds_of
from backend.core.results.loads import name_parameter
from backend.core.results.repository import SummaryRow
from backend.core.statuses import RunOutcome
from backend.core.units import METRICS, Metric

router = NounRouter(prefix="/badge", tags=["badges"], dependencies=[needs(Permission.OPEN)])

MEDIA_TYPE = "image/svg+xml"

_HEIGHT = 20
_PADDING = 6
# Both readable on white and on black, and white text on both (WCAG AA).
_LABEL_COLOUR, _VALUE_COLOUR, _UNKNOWN_COLOUR = "#3f4650", "#1f5fc4", "#6b7280"
# Widths of Verdana at 11 px, in px. Other characters are as wide as a digit.
_DIGIT = 7.0
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!", 3.6),
    **dict.fromkeys(" ·[]()ftI/r-", 4.6),
    **dict.fromkeys("mwMW%", 10.5),
    **dict.fromkeys("ABCDGHKNOQRUVXY", 8.0),
}

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The badge. It shows `unknown` if there is no result.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
        "headers": {"ETag": {"schema": {"type": "string"}}},
    },
    304: {"description": "The badge has not changed since the response with this ETag."},
}


@router.get(
    "/{framework}/{scenario}/{metric}.svg",
    response_class=Response,
    responses=problems(422, 503) | _ANSWERS,
)
def get_badge(
    session: SessionDep,
    framework: Annotated[Name, Path(examples=["node"])],
    scenario: Annotated[Name, Path(examples=["hello"])],
    metric: Annotated[Metric, Path(examples=["latency_p99_ms"])],
    host: Annotated[Name | None, Query(description="Only results of this bench host.")] = None,
    profile: Annotated[Name | None, Query(description="Only results under this profile.")] = None,
    parameters: Annotated[
        str | None,
        Query(
            pattern=r"^[a-z][a-z0-9_]*:[0-9]{1,9}(,[a-z][a-z0-9_]*:[0-9]{1,9})*$",
            description="Only results with these parameters, each as `name:value`.",
            examples=["rate_rps:1000"],
        ),
    ] = None,
    label: Annotated[
        str | None,
        Query(
            max_length=80,
            description="Label of the badge. Default: framework, scenario and metric.",
        ),
    ] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Return the newest valid result of a public run, with its 95 % interval, as SVG.

    The value is grey and marked if its run is not usable. The tooltip has the outcome.
    """
    wanted = _read_parameters(parameters)
    found = repository.find_public_point(
        session, framework, scenario, metric, host=host, profile=profile, parameters=wanted
    )
    load = "".join(f", {name_parameter(name, value)}" for name, value in wanted.items())
    load = use_plain_spaces(load)
    text = label or f"{framework} · {scenario}{load} · {METRICS[metric].title.lower()}"
    is_usable = found is not None and found.outcome is not RunOutcome.NOT_USABLE
    svg = draw(text, found and _value(found, metric), _tooltip(found), is_usable=is_usable)
    etag = f'"{sha256(svg.encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag}
    if has_etag(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    return Response(svg, media_type=MEDIA_TYPE, headers=headers)


def _read_parameters(text: str | None) -> dict[str, int]:
    pairs = (pair.split(":") for pair in text.split(",")) if text else ()
    return {name: int(value) for name, value in pairs}


def _value(found: SummaryRow, metric: Metric) -> str:
    point = found.metric
    figures = (point.estimate, point.low, point.high, METRICS[metric].unit)
    is_bound = metric in bounds_of(found.summary) or is_open_interval(point.low, point.high)
    return use_plain_spaces(format_estimate(*figures, is_bound=is_bound))


def _tooltip(found: SummaryRow | None) -> str:
    if found is None:
        return "No valid public result"
    summary = found.summary
    parameters = ", ".join(f"{name} {value}" for name, value in summary.parameters.items())
    interval = "" if found.metric.low is None else ", 95 % interval"
    outcome = f", {found.outcome.replace('_', ' ')}" if found.outcome else ""
    return (
        f"{summary.profile} ({parameters}) on {found.host}, {summary.at:%Y-%m-%d}, "
        f"{count_of(found.metric.n, 'trial')}{interval}; run {found.run_slug}{outcome}"
    )


def draw(label: str, value: str | None, tooltip: str, *, is_usable: bool = True) -> str:
    """Return the SVG text; without a value, it shows `unknown`. All texts are escaped here.

    Args:
        is_usable: whether the run of the value is usable.
    """
    shown = value or "unknown"
    if value and not is_usable:
        shown = f"{value} (not usable)"
    left, right = _width(label), _width(shown)
    colour = _VALUE_COLOUR if value and is_usable else _UNKNOWN_COLOUR
    total = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img" '
        f'aria-label="{_safe(label)}: {_safe(shown)}"><title>{_safe(tooltip)}</title>'
        f'<clipPath id="r"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="{_LABEL_COLOUR}"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_text(label, _PADDING, left)}{_text(shown, left + _PADDING, right)}</g></svg>\n"
    )


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(character, _DIGIT) for character in text)) + 2 * _PADDING


def _text(text: str, x: int, width: int) -> str:
    length = width - 2 * _PADDING
    return f'<text x="{x}" y="14" textLength="{length}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Return the text escaped, without the control characters that XML cannot hold."""
    return escape("".join(character for character in text if character.isprintable()))
