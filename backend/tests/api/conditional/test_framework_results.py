"""The newest results of a framework."""

from collections.abc import Callable
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Executable, delete, update

from backend.core.db import unit_of_work
from backend.core.models import CellSummary, Host, Run
from backend.core.units import Purpose
from backend.tests.answers import document
from backend.tests.api.conditional.test_documents import finish, revalidate
from backend.tests.asking import RUNS

RESULTS = "/api/v1/frameworks/node/results"


def execute(statement: Executable) -> None:
    with unit_of_work() as session:
        session.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        lambda client, slug: client.delete(f"{RUNS}/{slug}"),
        lambda client, slug: client.patch(f"{RUNS}/{slug}", json={"visibility": "private"}),
        lambda *_: execute(update(Run).values(purpose=Purpose.CALIBRATION)),
        lambda *_: execute(update(Host).values(name="bench-99")),
        lambda *_: execute(delete(CellSummary)),
    ],
)
def test_results_of_a_framework_change_with_its_runs_and_hosts(
    client: TestClient,
    visitor: TestClient,
    host_id: UUID,
    change: Callable[[TestClient, str], object],
) -> None:
    slug, _ = finish(host_id)
    first = visitor.get(RESULTS)
    assert len(document(first)["items"]) == 1

    change(client, slug)

    second = revalidate(visitor, RESULTS, first)
    assert document(second)["items"] != document(first)["items"]
    assert second.headers["etag"] != first.headers["etag"]


def test_results_of_a_framework_show_new_and_published_runs(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    old, _ = finish(host_id)
    first = visitor.get(RESULTS)

    new, _ = finish(host_id, visibility="private")
    # A private run changes nothing that visitors see.
    assert revalidate(visitor, RESULTS, first).status_code == 304
    assert {item["run_slug"] for item in document(first)["items"]} == {old}
    document(client.patch(f"{RUNS}/{new}", json={"visibility": "public"}))
    second = revalidate(visitor, RESULTS, first)
    assert {item["run_slug"] for item in document(second)["items"]} == {new}
