"""Refuse addresses that no route is made for: control characters, unknown or repeated parameters.

An unknown parameter would be ignored, so a typing error would show the wrong data, and each value
of it would look like another address to caches.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import get_args, get_origin
from urllib.parse import parse_qsl, urlencode

from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from backend.api.http.edge_policies import DEFAULT, POLICIES
from backend.api.http.errors import problem
from backend.core.errors import sum_up_problems
from backend.core.validation import NO_CONTROL_CHARACTERS, explain_fault

MOST_PARAMETERS = 200
_CONTROL_CHARACTERS = explain_fault({"type": "", "ctx": {"pattern": NO_CONTROL_CHARACTERS}})
# A longer name is not compared, because comparing takes long.
_MOST_NAME_LENGTH = 40
_MOST_PROBLEMS = 20
_LISTS = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class _RouteParameters:
    """The query parameters that a route declares, with whether each may be repeated."""

    path: re.Pattern[str]
    methods: frozenset[str]
    may_repeat: Mapping[str, bool]
    ignores_others: bool

    def matches(self, scope: Scope) -> bool:
        return scope["method"] in self.methods and self.path.match(scope["path"]) is not None


class QueryRules:
    """The parameters of all routes.

    Args:
        routes: of the app. They may be added until the first request.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = routes

    def refuse(self, scope: Scope) -> JSONResponse | None:
        """Return the response to a wrong address, or None. Parameters that a page ignores are
        removed.
        """
        if _has_control_characters(scope["path"]):
            return _respond([("path", _CONTROL_CHARACTERS)])
        if not scope["query_string"]:
            return None
        try:
            query = parse_qsl(
                scope["query_string"].decode("latin-1"),
                keep_blank_values=True,
                max_num_fields=MOST_PARAMETERS,
            )
        except ValueError:
            detail = f"may have at most {MOST_PARAMETERS} parameters; remove some."
            return _respond([("query", detail)])
        faults = [
            (name, _CONTROL_CHARACTERS)
            for name, value in query
            if _has_control_characters(name + value)
        ]
        route = next((route for route in self._declared if route.matches(scope)), None)
        if not faults and route is not None:
            if route.ignores_others:
                kept = [pair for pair in query if pair[0] in route.may_repeat]
                if len(kept) < len(query):
                    scope["query_string"] = urlencode(kept).encode()
                return None
            faults = _find_faults([name for name, _ in query], route.may_repeat)
        return _respond(faults) if faults else None

    @cached_property
    def _declared(self) -> list[_RouteParameters]:
        return [
            _RouteParameters(
                path=context.path_regex,
                methods=frozenset(context.methods or ()),
                may_repeat=_read_parameters(context.original_route),
                ignores_others=POLICIES.get(context.path or "", DEFAULT).ignores_parameters,
            )
            for context in iter_route_contexts(self._routes)
            if isinstance(context.original_route, Route)
        ]


def _read_parameters(route: BaseRoute) -> dict[str, bool]:
    if not isinstance(route, APIRoute):
        return {}
    fields = [
        field for field in get_flat_params(route.dependant) if isinstance(field.field_info, Query)
    ]
    return {field.alias: _is_list(field.field_info.annotation) for field in fields}


def _is_list(annotation: object) -> bool:
    return get_origin(annotation) in _LISTS or any(map(_is_list, get_args(annotation)))


def _find_faults(names: Sequence[str], may_repeat: Mapping[str, bool]) -> list[tuple[str, str]]:
    unknown = [
        (name, _explain_unknown(name, list(may_repeat)))
        for name in dict.fromkeys(names)
        if name not in may_repeat
    ]
    repeated = [
        (name, "is given more than once; send it once.")
        for name, count in Counter(names).items()
        if count > 1 and not may_repeat.get(name, True)
    ]
    return [*unknown, *repeated]


def _explain_unknown(name: str, known: Sequence[str]) -> str:
    fault = "is not a known parameter of this address"
    if not known:
        return f"{fault}, which has none; remove it."
    near = get_close_matches(name, known, 1) if len(name) <= _MOST_NAME_LENGTH else []
    if near:
        return f"{fault}. Did you mean {near[0]!r}?"
    return f"{fault}. Use one of {', '.join(sorted(known))}."


def _respond(faults: Sequence[tuple[str, str]]) -> JSONResponse:
    problems = [{"field": field[:80], "detail": detail} for field, detail in faults]
    detail = sum_up_problems(problems)
    return problem(
        422, "invalid_request", "Invalid request", detail, problems=problems[:_MOST_PROBLEMS]
    )


def _has_control_characters(text: str) -> bool:
    return any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in text)
