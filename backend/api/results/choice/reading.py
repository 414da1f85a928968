"""Read the choice that a request names."""

from typing import Annotated

from fastapi import Depends, Query

from backend.api.schemas import Name
from backend.core.errors import InvalidRequest
from backend.core.results.choose.criteria import Criterion
from backend.core.results.choose.service import ChoiceQuery

_MOST_FRAMEWORKS = 40


def read_query(
    scenario: Annotated[Name, Query(examples=["slow-upstream"])],
    frameworks: Annotated[
        str | None,
        Query(
            max_length=2_000,
            examples=["spring-mvc,quarkus-rest,node"],
            description="Slugs of at least two frameworks, separated by commas.",
        ),
    ] = None,
    language: Annotated[
        Name | None,
        Query(
            examples=["java"],
            description="Instead of `frameworks`: all of a language that implement the scenario.",
        ),
    ] = None,
    criteria: Annotated[
        str | None,
        Query(
            max_length=200,
            examples=["latency,rate"],
            description="The criteria that matter, the most important first. Default: all, in the "
            f"order {', '.join(Criterion)}.",
        ),
    ] = None,
    load: Annotated[
        str | None,
        Query(
            max_length=1_000,
            examples=["rate_rps:500,delay_ms:1000"],
            description="Values that loads must have, where they have the parameter.",
        ),
    ] = None,
    host: Annotated[Name | None, Query(description="Default: the host with the most results.")] = (
        None
    ),
) -> ChoiceQuery:
    """Return the query of a choice; raise InvalidRequest with every mistake."""
    faults: list[dict[str, str]] = []
    slugs = _split(frameworks)
    if not slugs and language is None:
        faults.append(_fault("frameworks", "Name at least two frameworks, or a language."))
    if len(slugs) > _MOST_FRAMEWORKS:
        faults.append(_fault("frameworks", f"Name at most {_MOST_FRAMEWORKS} frameworks."))
    wanted: list[Criterion] = []
    for word in _split(criteria):
        try:
            wanted.append(Criterion(word))
        except ValueError:
            detail = f"{word!r} is not a criterion. Use {', '.join(Criterion)}."
            faults.append(_fault("criteria", detail))
    parameters: dict[str, int] = {}
    for part in _split(load):
        name, _, value = part.partition(":")
        if value.isascii() and value.isdigit() and len(value) <= 9:
            parameters[name] = int(value)
        else:
            faults.append(_fault("load", f"Write {part!r} as a name and a number: rate_rps:500."))
    if faults:
        raise InvalidRequest.of(faults)
    return ChoiceQuery(
        scenario=scenario,
        frameworks=tuple(slugs),
        language=language,
        criteria=tuple(dict.fromkeys(wanted)) or tuple(Criterion),
        parameters=tuple(parameters.items()),
        host=host,
    )


ChoiceQueryDep = Annotated[ChoiceQuery, Depends(read_query)]


def _split(text: str | None) -> list[str]:
    return [part for part in (piece.strip() for piece in (text or "").split(",")) if part]


def _fault(field: str, detail: str) -> dict[str, str]:
    return {"field": field, "detail": detail}
