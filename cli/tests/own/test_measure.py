"""`tacho measure`: the commit that a new one is compared with to confirm a step."""

from typing import Any

import httpx
import pytest

from backend.core.results.guard.document import GuardedLoad, GuardReport, ServiceVersion
from backend.core.units import RuntimeKind
from cli.measure import CommitStep, find_step

BEGIN, FIRST, SECOND = "a" * 40, "b" * 40, "c" * 40
REPORT = GuardReport(
    service="shop",
    base=ServiceVersion(name="v1", commit=BEGIN),
    head=ServiceVersion(name="main", commit=SECOND),
    loads=(GuardedLoad(load="main", engine="k6"),),
    host="bench-1",
    runtime=RuntimeKind.PROCESS,
    most_minutes=15,
)


def history(*points: dict[str, Any], host: str = "bench-1") -> dict[str, Any]:
    return {
        "reference": {"commit": BEGIN},
        "host": host,
        "runtime": "process",
        "points": list(points),
    }


def point(commit: str, **steps: str | None) -> dict[str, Any]:
    changes = [{"load": load, "step": step} for load, step in steps.items()]
    return {"head": {"commit": commit}, "changes": changes}


def find(*histories: dict[str, Any]) -> CommitStep | None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.params["service"] == "shop"
        return httpx.Response(200, json={"items": list(histories)})

    transport = httpx.MockTransport(answer)
    with httpx.Client(base_url="http://tacho", transport=transport) as client:
        return find_step(client, REPORT)


@pytest.mark.parametrize(("step", "is_worse"), [("worse", True), ("better", False)])
def test_a_step_names_the_commit_before_and_the_loads_that_differ(
    step: str, is_worse: bool
) -> None:
    other = history(point(BEGIN), point(SECOND, main="worse", slow="worse"), host="bench-2")
    own = history(point(FIRST), point(SECOND, main=step, quick=None))

    assert find(other, own) == CommitStep(FIRST, ["main"], is_worse)


@pytest.mark.parametrize(
    "points",
    [(point(SECOND, main="worse"),), (point(FIRST), point(SECOND, main=None))],
    ids=["first", "equal"],
)
def test_a_commit_without_a_step_is_not_compared_again(points: tuple[dict[str, Any], ...]) -> None:
    assert find(history(*points)) is None
