"""/badge: the latest valid public result as an image."""

from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.models import CellSummary
from backend.tests.answers import problem
from backend.tests.factories import ask_run, claim_next, succeed, succeed_next

BADGE = "/badge/node/hello/latency_p50_ms.svg"


def measure(host_id: UUID, latency_ms: float, visibility: str = "public", trials: int = 5) -> None:
    with unit_of_work() as session:
        ask_run(session, count=trials, visibility=visibility)
        for trial in range(trials):
            succeed_next(session, host_id, [latency_ms * (1 + trial / 100)] * 5)


def texts(answer: Response) -> list[str]:
    """Label and value."""
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    root = ET.fromstring(answer.text)  # noqa: S314  our own
    return [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_badge_shows_the_newest_public_result_with_its_interval(
    visitor: TestClient, host_id: UUID
) -> None:
    unknown = visitor.get(BADGE)
    assert texts(unknown) == ["node · hello · latency p50", "unknown"]
    assert "<title>" in unknown.text
    measure(host_id, 20.0)
    measure(host_id, 50.0, visibility="unlisted")

    label, value = texts(visitor.get(BADGE))

    assert label == "node · hello · latency p50"
    assert value.startswith("20.4 ms [20.")
    assert texts(visitor.get(BADGE, params={"host": "bench-99"}))[1] == "unknown"
    assert texts(visitor.get(BADGE, params={"profile": "rate-full"}))[1] == "unknown"
    assert texts(visitor.get("/badge/nobody/hello/latency_p50_ms.svg"))[1] == "unknown"


def test_a_badge_can_show_one_value_of_a_sweep(visitor: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        swept = [{"rate_rps": 500}, {"rate_rps": 700}]
        run = ask_run(session, count=5, visibility="public", parameters=swept)
        rates = {cell.id: cell.parameters["rate_rps"] for cell in run.cells}
        for _ in run.trials:
            trial = claim_next(session, host_id)
            succeed(session, trial, [rates[trial.cell_id] / 100] * 5)

    label, value = texts(visitor.get(BADGE, params={"parameters": "rate_rps:700"}))

    assert (label, value) == ("node · hello, 700 req/s · latency p50", "7.00 ms [7.00, 7.00]")
    assert (
        texts(visitor.get(BADGE, params={"parameters": "rate_rps:500"}))[1]
        == "5.00 ms [5.00, 5.00]"
    )
    assert texts(visitor.get(BADGE, params={"parameters": "rate_rps:1,users:2"}))[1] == "unknown"
    problem(visitor.get(BADGE, params={"parameters": "rate"}), 422, "invalid_request")


def test_an_excluded_result_is_not_shown(visitor: TestClient, host_id: UUID) -> None:
    measure(host_id, 20.0)
    measure(host_id, 50.0)
    assert texts(visitor.get(BADGE))[1].startswith("51.0 ms")

    with unit_of_work() as session:
        newest = session.scalars(select(CellSummary).order_by(CellSummary.at.desc()).limit(1)).one()
        newest.excluded = True

    assert texts(visitor.get(BADGE))[1].startswith("20.4 ms")


def test_a_badge_is_cached_until_it_changes(visitor: TestClient, host_id: UUID) -> None:
    first = visitor.get(BADGE)

    again = visitor.get(BADGE, headers={"If-None-Match": f'W/{first.headers["etag"]}, "x"'})
    measure(host_id, 20.0)
    changed = visitor.get(BADGE, headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "public, max-age=300"
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


@pytest.mark.usefixtures("database")
def test_every_text_fits_its_box(visitor: TestClient) -> None:
    label = '</text><script>alert("1")</script>&'

    answer = visitor.get(BADGE, params={"label": label})

    assert texts(answer)[0] == label
    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    problem(visitor.get("/badge/node/hello/speed.svg"), 422, "invalid_request")


def test_the_badge_of_an_unusable_run_is_marked(visitor: TestClient, host_id: UUID) -> None:
    measure(host_id, 20.0, trials=2)

    answer = visitor.get(BADGE)

    assert texts(answer)[1].endswith(" (not usable)")
    assert "not usable" in answer.text.split("</title>")[0]
