"""Restrictions of access tokens to hosts and frameworks."""

import pytest

from backend.core.documents import CellRequest, RunRequest
from backend.core.errors import InvalidRequest
from backend.core.people.tokens.restrictions import Restrictions, find_problems, restrict


def ask(*frameworks: str, host: str | None = None) -> RunRequest:
    cells = [CellRequest(slug, "hello", None, {}) for slug in frameworks or ("node",)]
    return RunRequest(cells=cells, trials=1, host=host)


def test_other_hosts_and_frameworks_are_refused_with_their_fields() -> None:
    request = ask("node", "gin", "flask", host="bench-02")

    problems = find_problems(request, Restrictions(["bench-01"], ["gin"]))

    assert [problem["field"] for problem in problems] == [
        "host",
        "cells.0.framework",
        "cells.2.framework",
    ]
    assert problems[0]["detail"] == (
        "This access token does not allow host 'bench-02'; it allows bench-01."
    )
    with pytest.raises(InvalidRequest, match=r"host: .* \(and 2 more\)"):
        restrict(request, Restrictions(["bench-01"], ["gin"]))


def test_allowed_hosts_and_frameworks_pass() -> None:
    request = ask("node", "gin", host="bench-01")

    assert restrict(request, Restrictions(["bench-01", "bench-02"], ["gin", "node"])) is request


def test_a_single_allowed_host_is_chosen() -> None:
    assert restrict(ask(), Restrictions(["bench-01"])).host == "bench-01"


def test_with_several_allowed_hosts_the_run_must_name_one() -> None:
    [problem] = find_problems(ask(), Restrictions(["bench-01", "bench-02"]))

    assert problem["field"] == "host"
    assert "a run without a host; it allows bench-01, bench-02." in problem["detail"]
