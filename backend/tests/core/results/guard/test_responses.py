"""Responses of two versions: equal by value, and different at a named place."""

import hashlib
import json

import pytest

from backend.core.results.guard.document import Equality
from backend.core.results.guard.responses import Response, compare_responses, mark_varying


def answer(
    body: object = "ok", status: int = 200, content_type: str = "application/json"
) -> Response:
    text = body if isinstance(body, str) else json.dumps(body)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Response("GET /items (line 3)", status, {"content-type": content_type}, text, digest)


def compare(base: Response, head: Response, *ignore: str) -> Equality:
    return compare_responses([base], [head], ["Content-Type"], ignore)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (answer("plain"), answer("plain")),
        (answer('{"a": 1, "b": [1, 2]}'), answer('{"b":[1,2],"a":1}')),
        (answer({"n": None}), answer('{ "n" : null }')),
    ],
)
def test_equal_values_are_equal_whatever_their_layout(base: Response, head: Response) -> None:
    assert compare(base, head).is_equal


@pytest.mark.parametrize(
    ("base", "head", "described"),
    [
        (answer(), answer(status=500), "the status was 200, now 500"),
        (
            answer(),
            answer(content_type="text/html"),
            'the header content-type was "application/json", now "text/html"',
        ),
        (answer({"a": {"b": [1, 2]}}), answer({"a": {"b": [1, 3]}}), "$.a.b[1] was 2, now 3"),
        (answer({"a": 1}), answer({"a": True}), "$.a was 1, now true"),
        (answer({"a": 1}), answer({}), "$.a was 1, now absent"),
        (answer({"a": [1]}), answer({"a": [1, 2]}), "$.a was [1], now [1, 2]"),
        (answer("x"), answer("y"), 'the body was "x", now "y"'),
    ],
)
def test_a_difference_names_request_place_and_values(
    base: Response, head: Response, described: str
) -> None:
    found = compare(base, head)

    assert not found.is_equal
    assert [item.describe() for item in found.differences] == [f"GET /items (line 3): {described}."]


@pytest.mark.parametrize(
    ("ignore", "is_equal"),
    [
        ("$.items[*].id", True),
        ("$.items", True),
        ("$.*[*].id", True),
        ("$.items[0].id", False),
        ("$.items[*].name", False),
    ],
)
def test_ignored_paths_may_differ(ignore: str, is_equal: bool) -> None:
    base = answer({"items": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]})
    head = answer({"items": [{"id": 3, "name": "a"}, {"id": 4, "name": "b"}]})

    assert compare(base, head, ignore).is_equal is is_equal


def test_an_ignored_header_may_differ() -> None:
    assert compare(answer(), answer(content_type="text/html"), "Content-Type").is_equal


def test_only_requests_that_both_have_answered_are_compared() -> None:
    found = compare_responses([answer(), answer()], [answer()], [], [])

    assert (found.compared, found.equal) == (1, 1)


def test_a_difference_of_the_base_with_itself_is_named() -> None:
    base, again = answer({"id": 1, "at": 5}), answer({"id": 1, "at": 6})
    found, own = compare(base, answer({"id": 1, "at": 7})), compare(base, again)

    [difference] = mark_varying(found, own).differences

    assert difference.describe().endswith("Two answers of the base differ there, too.")


def test_long_values_are_shortened_and_the_same_place_is_listed_once() -> None:
    pairs = [(answer({"t": "a" * 500}), answer({"t": "b" * 500}))] * 9

    found = compare_responses([one for one, _ in pairs], [two for _, two in pairs], [], [])

    [difference] = found.differences
    assert len(difference.base) < 140
    assert (found.compared, found.equal) == (9, 0)
