"""POST /comparisons, and the snapshots that it saves under the hash of their content."""

import csv
import hashlib
import io
import json
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Cell, Framework, MetricValue, Run, Trial
from backend.core.statuses import Visibility
from backend.tests.accounts import add_token, add_workspace
from backend.tests.answers import document, problem
from backend.tests.api.results.comparisons.test_compare import COMPARISONS, exclude, measure
from backend.tests.asking import RUNS


def save(client: TestClient, *cells: str, **body: Any) -> str:
    answer = client.post(COMPARISONS, json={"cells": cells, **body})
    found: str = document(answer, 201)["hash"]
    assert answer.headers["location"] == f"{COMPARISONS}/{found}"
    return found


def test_equal_selections_have_equal_hashes(client: TestClient, host_id: UUID) -> None:
    one, other = measure(host_id, frameworks=("node", "go-nethttp"))
    (third,) = measure(host_id)

    first = save(client, one, other)

    assert save(client, one, other) == first
    assert save(client, other, one, other, baseline=one) == first
    assert save(client, one, other, baseline=other) != first
    assert save(client, one, third) != first


def test_the_hash_is_that_of_the_bytes_which_contain_everything_shown(
    client: TestClient, host_id: UUID
) -> None:
    cells = measure(host_id, frameworks=("node", "go-nethttp"))
    live = document(client.get(COMPARISONS, params={"cells": cells}))
    charts = document(client.get(f"{COMPARISONS}/charts", params={"cells": cells}))
    digest = save(client, *cells)

    answer = client.get(f"{COMPARISONS}/{digest}")
    exported = client.get(f"{COMPARISONS}/{digest}/export.json")

    assert hashlib.sha256(answer.content).hexdigest() == digest
    assert exported.content == answer.content
    assert answer.json() == {"comparison": live, "charts": charts}


def test_later_changes_of_data_do_not_change_a_snapshot(client: TestClient, host_id: UUID) -> None:
    cells = measure(host_id, frameworks=("node", "go-nethttp"))
    digest = save(client, *cells)
    before = client.get(f"{COMPARISONS}/{digest}").content

    with unit_of_work() as session:
        session.query(MetricValue).update({MetricValue.value: MetricValue.value * 2})
    changed = save(client, *cells)
    with unit_of_work() as session:
        session.query(Run).delete()

    assert changed != digest
    assert client.get(f"{COMPARISONS}/{digest}").content == before
    assert client.get(COMPARISONS, params={"cells": cells}).status_code == 422


def test_environment_and_version_of_the_statistics_are_part_of_the_hash(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cell,) = measure(host_id)
    digests = {save(client, cell)}

    with unit_of_work() as session:
        for trial in session.query(Trial):
            trial.environment = {**trial.environment, "harness": {"k6": "other"}}
    digests.add(save(client, cell))
    monkeypatch.setattr("backend.api.results.comparisons.views.STATISTICS_VERSION", 0)
    digests.add(save(client, cell))

    assert len(digests) == 3


def test_a_snapshot_has_the_visibility_of_its_runs(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    (cell,) = measure(host_id)
    snapshot = save(client, cell)
    slug = document(client.get(COMPARISONS, params={"cells": cell}))["cells"][0]["run_slug"]

    def seen_when(visibility: str) -> int:
        document(client.patch(f"{RUNS}/{slug}", json={"visibility": visibility}))
        return visitor.get(f"{COMPARISONS}/{snapshot}").status_code

    assert [seen_when(item) for item in ("private", "unlisted", "private")] == [404, 200, 404]
    assert client.delete(f"{RUNS}/{slug}").status_code == 204
    assert visitor.get(f"{COMPARISONS}/{snapshot}").status_code == 404
    assert client.get(f"{COMPARISONS}/{snapshot}").status_code == 200
    problem(client.get(f"{COMPARISONS}/{'0' * 64}"), 404, "not_found")


def test_a_snapshot_stays_closed_to_other_workspaces(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    """A run of another workspace was public, was saved here, became private and was deleted."""
    (foreign_cell,), (own,) = measure(host_id), measure(host_id)
    digest = save(client, foreign_cell, own)
    with unit_of_work() as session:
        other = add_workspace(session, "other")
        headers = add_token(session)
        foreign = session.get_one(Run, session.get_one(Cell, UUID(foreign_cell)).run_id)
        foreign.workspace_id, foreign.visibility = other.id, Visibility.PRIVATE
        session.flush()
        session.query(Run).filter(Run.id == foreign.id).delete()

    for reader in ({}, headers):
        problem(visitor.get(f"{COMPARISONS}/{digest}", headers=reader), 404, "not_found")
        problem(visitor.get(f"{COMPARISONS}/{digest}/export.csv", headers=reader), 404, "not_found")


def test_a_snapshot_of_a_public_run_stays_open(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    (cell,) = measure(host_id)
    digest = save(client, cell)
    slug = document(client.get(COMPARISONS, params={"cells": cell}))["cells"][0]["run_slug"]

    assert client.delete(f"{RUNS}/{slug}").status_code == 204

    assert visitor.get(f"{COMPARISONS}/{digest}").status_code == 200


def test_a_snapshot_is_exported_as_csv_and_markdown(client: TestClient, host_id: UUID) -> None:
    one, other = measure(host_id, frameworks=("node", "go-nethttp"))
    (apart,) = measure(host_id, parameters={"rate_rps": 7})
    digest = save(client, one, other, apart)
    exported = f"{COMPARISONS}/{digest}/export"

    rows = list(csv.DictReader(io.StringIO(client.get(f"{exported}.csv").text)))
    markdown = client.get(f"{exported}.md").text

    told = {(row["cell"], row["metric"]): row for row in rows}
    p99 = told[other, "latency_p99_ms"]
    assert (p99["comparability"], p99["method"]) == ("comparable", "paired")
    assert (p99["state"], p99["is_better"]) == ("difference", "False")
    assert float(p99["ratio"]) == pytest.approx(2, rel=0.01)
    assert told[one, "latency_p99_ms"]["comparability"] == "baseline"
    assert json.loads(told[apart, "latency_p99_ms"]["parameters"])["rate_rps"] == 7
    assert told[apart, "latency_p99_ms"]["state"] == "not_comparable"
    assert "**not comparable**: parameters.rate_rps (1000 or 7)." in markdown
    (line,) = [line for line in markdown.splitlines() if line.startswith("| Latency p99 |")]
    assert line.count("|") == 5
    assert ", higher |" in line
    assert ", not comparable |" in line


def test_only_an_excluded_result_is_called_excluded(client: TestClient, host_id: UUID) -> None:
    one, other = measure(host_id, frameworks=("node", "go-nethttp"))
    exclude(one)

    def export(baseline: str) -> str:
        digest = save(client, one, other, baseline=baseline)
        return client.get(f"{COMPARISONS}/{digest}/export.md").text

    said = export(one).splitlines()
    assert [line.split(":")[0] for line in said if "excluded" in line] == ["Baseline"]
    said = export(other).splitlines()
    assert [line[:9] for line in said if "; excluded" in line] == ["- Node.js"]
    assert save(client, one, other) == save(client, one, other, baseline=other)


def test_a_snapshot_keeps_the_old_name_of_a_renamed_framework(
    client: TestClient, host_id: UUID
) -> None:
    (cell,) = measure(host_id)
    digest = save(client, cell)
    with unit_of_work() as session:
        node = session.query(Framework).filter(Framework.slug == "node").one()
        name, node.name = node.name, "Something else"
    try:
        found = document(client.get(f"{COMPARISONS}/{digest}"))
    finally:
        with unit_of_work() as session:
            session.query(Framework).filter(Framework.slug == "node").update({"name": name})

    assert found["comparison"]["cells"][0]["framework"]["name"] == name
