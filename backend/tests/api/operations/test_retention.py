"""/retention, and what the API shows of runs without seconds or logs."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Run, Sample, Trial
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, succeed_next
from backend.tests.measured_runs import compare_two

RETENTION = "/api/v1/retention"
INSTALLATION = f"{RETENTION}/installation"
NOTHING = {"seconds_days": None, "logs_days": None}


@pytest.fixture
def slug(host_id: UUID) -> str:
    """A finalized run with logs."""
    with unit_of_work() as session:
        run = compare_two(session, host_id, trials=2)
        for trial in session.scalars(select(Trial).where(Trial.run_id == run.id)):
            measurements.put_logs(session, trial.id, {"service": "ready\n"})
        slug = run.slug
    finalize_runs()
    return slug


def read(client: TestClient, slug: str) -> dict[str, Any]:
    return document(client.get(f"{RUNS}/{slug}"))


def test_a_workspace_chooses_at_most_what_the_installation_keeps(client: TestClient) -> None:
    assert document(client.get(INSTALLATION)) == NOTHING
    assert document(client.get(RETENTION)) == {
        "installation": NOTHING,
        "workspace": NOTHING,
        "effective": NOTHING,
    }
    limits = {"seconds_days": 90, "logs_days": None}
    assert document(client.put(INSTALLATION, json=limits)) == limits

    refused = faults(client.put(RETENTION, json={"seconds_days": 91, "logs_days": 14}))
    assert refused == {
        "seconds_days": "must be at most 90, because this installation keeps them for 90 days. "
        "Choose fewer days, or ask an operator."
    }
    wrong = faults(client.put(INSTALLATION, json={"seconds_days": 0, "logs_days": 36_501}))
    assert list(wrong) == ["seconds_days", "logs_days"]
    own = {"seconds_days": 30, "logs_days": 14}
    assert document(client.put(RETENTION, json=own)) == {
        "installation": limits,
        "workspace": own,
        "effective": own,
    }


def test_changes_of_the_settings_are_in_both_audit_logs(client: TestClient) -> None:
    client.put(INSTALLATION, json={"seconds_days": 90, "logs_days": None})
    client.put(RETENTION, json={"seconds_days": 30, "logs_days": None})

    for path, days in (("installation-audit", 90), ("audit", 30)):
        found = document(client.get(f"/api/v1/{path}?action=retention.changed"))["items"]
        assert [entry["after"]["seconds_days"] for entry in found] == [days]


def test_an_archived_run_shows_it_and_keeps_its_answer(client: TestClient, slug: str) -> None:
    before = read(client, slug)
    answer = client.get(f"{RUNS}/{slug}/answer").json()
    assert before["removal"] is None

    archived = document(client.post(f"{RUNS}/{slug}/archive"))

    removal = archived["removal"]
    assert removal["reason"] == "archived"
    assert removal["seconds_note"].startswith("Seconds were removed on ")
    assert (removal["logs_at"], removal["logs_note"]) == (None, "")
    assert archived | {"removal": None} == before
    assert read(client, slug) == archived
    assert client.get(f"{RUNS}/{slug}/answer").json() == answer
    entries = document(client.get("/api/v1/audit?action=run.archived"))["items"]
    assert [entry["after"]["slug"] for entry in entries] == [slug]


def test_seconds_of_an_archived_run_are_gone_at_once(client: TestClient, slug: str) -> None:
    run = read(client, slug)
    trial, cell = (
        f"/api/v1/trials/{run['trials'][0]['id']}",
        f"/api/v1/cells/{run['cells'][0]['id']}",
    )
    assert document(client.get(f"{trial}/series"))["samples"]

    note = document(client.post(f"{RUNS}/{slug}/archive"))["removal"]["seconds_note"]

    for path in (f"{trial}/series", f"{trial}/series?phase=all"):
        assert problem(client.get(path), 410, "gone")["detail"] == note
    for path in (trial, f"{trial}/latency", f"{trial}/logs", f"{cell}/latency"):
        assert client.get(path).status_code == 200
    charts = document(client.get(f"/api/v1/comparisons/charts?cells={run['cells'][0]['id']}"))
    assert charts["cells"][0]["series"]


def test_logs_that_were_removed_are_gone(client: TestClient, slug: str) -> None:
    with unit_of_work() as session:
        session.execute(update(Run).values(logs_removed_at=func.now()))
    run = read(client, slug)
    trial = f"/api/v1/trials/{run['trials'][0]['id']}"

    assert (
        problem(client.get(f"{trial}/logs"), 410, "gone")["detail"] == run["removal"]["logs_note"]
    )
    assert client.get(f"{trial}/series").status_code == 200
    assert (run["removal"]["seconds_at"], run["removal"]["seconds_note"]) == (None, "")


def test_exports_show_what_is_missing(client: TestClient, slug: str) -> None:
    note = document(client.post(f"{RUNS}/{slug}/archive"))["removal"]["seconds_note"]
    # The rows are deleted later, and no export may contain some of them.
    with unit_of_work() as session:
        assert session.scalar(select(func.count()).select_from(Sample))

    exported = document(client.get(f"{RUNS}/{slug}/export.json"))
    markdown = client.get(f"{RUNS}/{slug}/export.md").text

    assert exported["removal"]["seconds_note"] == note
    assert [trial["samples"] for trial in exported["trials"]] == [[], [], [], []]
    assert all(trial["latency"]["count"] for trial in exported["trials"])
    assert note in markdown
    assert client.get(f"{RUNS}/{slug}/export.csv").status_code == 200


def test_an_unfinished_run_is_not_archived(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug
        succeed_next(session, host_id)

    refused = problem(client.post(f"{RUNS}/{slug}/archive"), 409, "conflict")

    assert "Wait until it has ended" in refused["detail"]
