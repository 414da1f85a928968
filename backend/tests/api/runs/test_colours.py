"""Frameworks of one run have distinct hues, in its cells, its list entry and its answer."""

from uuid import UUID

from fastapi.testclient import TestClient

from backend.core.catalog.colours import hue_of
from backend.core.catalog.repository import get_framework
from backend.core.db import unit_of_work
from backend.tests.answers import document
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run


def test_two_frameworks_of_one_hue_differ_in_their_run(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        get_framework(session, "node").colour = 102
        get_framework(session, "go-nethttp").colour = 114
        slug = ask_run(session, ("node", "go-nethttp")).slug

    run = document(client.get(f"{RUNS}/{slug}"))

    cells = {cell["framework"]["slug"]: cell["framework"]["colour"] for cell in run["cells"]}
    assert cells["node"] % 12 == hue_of(102)
    assert cells["go-nethttp"] % 12 not in {hue_of(102), cells["node"] % 12}
    assert {item["slug"]: item["colour"] for item in run["frameworks"]} == cells
