"""GET /metrics: the metrics that Prometheus gets, and the callers that may read them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import func, text

from backend.api.operations.health import get_readings
from backend.core.catalog.repository import touch_host
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import HostDisk
from backend.core.models import Run
from backend.core.operations.backups import store_failure, store_success
from backend.core.units import HostFolder
from backend.main import create_app
from backend.platform.layout import Layout
from backend.tests.accounts import add_workspace
from backend.tests.answers import problem
from backend.tests.api.conftest import HERE, VISITOR
from backend.tests.factories import HOST, add_host, ask_run, claim_next, succeed_next
from backend.tests.stopped_parts import write_stopped_worker

METRICS = "/metrics"
_SECRET = "s3cret-of-prometheus"


def read_samples(content: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Return the values of all metrics by name and sorted labels."""
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(content):
        for sample in family.samples:
            labels = tuple(sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


class Scrape:
    """The metrics of one moment."""

    def __init__(self, client: TestClient, headers: Mapping[str, str] | None = None) -> None:
        # Callers share a reading for a second.
        get_readings.cache_clear()
        answer = client.get(METRICS, headers=headers)
        assert answer.status_code == 200, answer.text
        self.content = answer.text
        self.samples = read_samples(answer.text)

    def value(self, name: str, **labels: str) -> float:
        return self.samples[name][tuple(sorted(labels.items()))]


@pytest.fixture
def metrics_token(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TACHO_METRICS_TOKEN", _SECRET)
    get_settings.cache_clear()
    yield _SECRET
    monkeypatch.undo()
    get_settings.cache_clear()


def test_each_host_has_its_queue_and_its_state(client: TestClient) -> None:
    with unit_of_work() as session:
        busy, lost = add_host(session), add_host(session, "bench-02")
        add_host(session, "bench-03").paused_at = func.now()
        add_host(session, "bench-04").leaving_at = func.now()
        ask_run(session, host=HOST, count=3)
        claim_next(session, busy.id)
        waiting = ask_run(session, host=HOST, count=2)
        waiting.created_at = func.now() - timedelta(hours=2)
        lost.seen_at = func.now() - timedelta(minutes=5)
        lost.disk_shortage = "Only 1.0 GiB are free."
        lost.schema_revision = "f20c6b8e4d17"
        engine = HostDisk(name=HostFolder.ENGINE, size_bytes=100, free_bytes=7, needed_bytes=9)
        touch_host(session, busy.id, "", [engine])

    scrape = Scrape(client)

    assert scrape.value("tacho_queue_trials", host=HOST) == 4
    assert 7200 <= scrape.value("tacho_queue_oldest_run_seconds", host=HOST) < 7800
    assert scrape.value("tacho_queue_oldest_run_seconds", host="bench-02") == 0
    states = {
        host: [
            scrape.value(f"tacho_host_{state}", host=host) for state in ("online", "busy", "paused")
        ]
        for host in (HOST, "bench-02", "bench-03", "bench-04")
    }
    assert states == {
        HOST: [1, 1, 0],
        "bench-02": [0, 0, 0],
        "bench-03": [1, 0, 1],
        "bench-04": [1, 0, 1],
    }
    assert scrape.value("tacho_host_low_disk", host=HOST) == 0
    assert scrape.value("tacho_host_low_disk", host="bench-02") == 1
    disk = {"host": HOST, "folder": "container engine"}
    assert scrape.value("tacho_host_disk_size_bytes", **disk) == 100
    assert scrape.value("tacho_host_disk_free_bytes", **disk) == 7
    assert scrape.value("tacho_host_outdated", host=HOST) == 0
    assert scrape.value("tacho_host_outdated", host="bench-02") == 1
    assert 300 <= scrape.value("tacho_host_unseen_seconds", host="bench-02") < 900


def test_work_of_the_dispatcher_that_waits_is_counted(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        run = ask_run(session)
        succeed_next(session, host.id)
        session.get_one(Run, run.id).finished_at = func.now() - timedelta(minutes=30)
        session.get_one(Run, run.id).finalization_attempts = 2

    scrape = Scrape(client)

    assert scrape.value("tacho_runs_unfinalized") == 1
    assert 1800 <= scrape.value("tacho_runs_unfinalized_oldest_seconds") < 2400
    assert scrape.value("tacho_runs_finalization_failed") == 1
    assert scrape.value("tacho_webhook_deliveries_due") == 0
    assert scrape.value("tacho_webhook_deliveries_oldest_seconds") == 0


def test_responses_are_counted_by_the_template_of_their_route(
    client: TestClient, host_id: UUID
) -> None:
    def count(scrape: Scrape) -> list[float]:
        found = scrape.samples["tacho_http_response_seconds_count"]
        return [
            found.get((("method", "GET"), ("route", route), ("status", status)), 0)
            for route, status in (
                ("/api/v1/runs/{run_id}", "4xx"),
                ("/api/v1/hosts/{name}", "2xx"),
                ("unknown", "4xx"),
                ("/metrics", "2xx"),
            )
        ]

    client.get(METRICS)
    before = count(Scrape(client))
    for path in ("runs/secret-1", "runs/secret-2", f"hosts/{HOST}", "secret-3"):
        client.get(f"/api/v1/{path}")
    # A strange method creates no metric of its own.
    client.request("SPY", "/api/v1/runs")
    scrape = Scrape(client)

    after = count(scrape)
    assert [new - old for old, new in zip(before, after, strict=True)] == [2, 1, 1, 1]
    assert "secret-" not in scrape.content
    counted = scrape.samples["tacho_http_response_seconds_count"]
    methods = {dict(labels)["method"] for labels in counted}
    assert "other" in methods
    assert "SPY" not in methods


def test_the_slots_of_the_api_and_all_disks_are_shown(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TACHO_DATABASE_FOLDER", str(tmp_path))
        patch.setenv("TACHO_DATABASE_FREE_MB", "5")
        get_settings.cache_clear()
        scrape = Scrape(client)
    get_settings.cache_clear()

    assert scrape.value("tacho_api_slots", kind="database") == 10
    assert scrape.value("tacho_api_slots_in_use", kind="database") == 0
    assert scrape.value("tacho_api_slots_refused_total", kind="database") == 0
    for folder in ("data folder", "database"):
        free = scrape.value("tacho_disk_free_bytes", folder=folder)
        assert 0 < free <= scrape.value("tacho_disk_size_bytes", folder=folder)
    assert scrape.value("tacho_disk_needed_bytes", folder="database") == 5 * 1024**2
    assert scrape.value("process_resident_memory_bytes") > 1e6
    assert scrape.value("tacho_database_bytes") > 1e6


def test_removed_rows_that_are_not_deleted_are_counted(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        run = session.get_one(Run, ask_run(session).id)
        run.seconds_removed_at = func.now() - timedelta(days=2)
        run.logs_removed_at = func.now() - timedelta(hours=1)
        run.has_removed_rows = True

    scrape = Scrape(client)

    assert scrape.value("tacho_retention_runs_waiting") == 1
    assert 3600 <= scrape.value("tacho_retention_oldest_seconds") < 4200


def test_scheduled_backups_are_shown_once_one_was_attempted(client: TestClient) -> None:
    assert "tacho_backup_failed" not in Scrape(client).samples
    began = datetime.now(UTC)
    with unit_of_work() as session:
        store_failure(session, began, "The disk is full.", timedelta(days=1))
    failed = Scrape(client)
    assert failed.value("tacho_backup_failed") == 1
    assert "tacho_backup_size_bytes" not in failed.samples
    assert "tacho_backup_duration_seconds" not in failed.samples

    with unit_of_work() as session:
        started_at = began - timedelta(minutes=10)
        store_success(session, started_at, "tacho.backup", 5 * 2**40, timedelta(days=1))

    scrape = Scrape(client)
    assert scrape.value("tacho_backup_timestamp_seconds") >= began.timestamp()
    assert scrape.value("tacho_backup_failed") == 0
    assert scrape.value("tacho_backup_overdue") == 0
    assert scrape.value("tacho_backup_size_bytes") == 5 * 2**40
    assert 600 <= scrape.value("tacho_backup_duration_seconds") < 700


def test_supervised_parts_are_shown(client: TestClient, database: Settings) -> None:
    layout = Layout(database.data)
    write_stopped_worker(layout, "password")
    try:
        scrape = Scrape(client)
    finally:
        layout.part_states.unlink()

    assert scrape.value("tacho_part_up", part="worker") == 0
    assert scrape.value("tacho_part_restarts_total", part="worker") == 7


def test_metrics_name_no_run_workspace_or_person(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        workspace = add_workspace(session, "hidden-team")
        run = ask_run(
            session, title="Hidden title", visibility="private", workspace_id=workspace.id
        )
        claim_next(session, host.id)
        slug = run.slug
    client.get(f"/api/v1/runs/{slug}")

    content = Scrape(client).content

    for hidden in ("hidden-team", "Hidden title", slug, str(run.id)):
        assert hidden not in content


def test_prometheus_reads_metrics_with_its_token(visitor: TestClient, metrics_token: str) -> None:
    problem(visitor.get(METRICS, headers={"Authorization": "Bearer wrong"}), 401, "unauthorized")

    scrape = Scrape(visitor, {"Authorization": f"Bearer {metrics_token}"})
    assert scrape.value("tacho_component_up", component="database") == 1


def test_prometheus_is_answered_while_the_database_is_down(
    database: Settings, metrics_token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    get_settings.cache_clear()
    with TestClient(create_app(), HERE, client=VISITOR) as client:
        scrape = Scrape(client, {"Authorization": f"Bearer {metrics_token}"})

    assert scrape.value("tacho_component_up", component="database") == 0
    assert scrape.value("tacho_component_up", component="redis") == 1
    assert "tacho_queue_trials" not in scrape.samples
    assert scrape.value("tacho_api_slots", kind="database") == 10


def test_a_slow_database_does_not_hold_up_prometheus(
    client: TestClient, host_id: UUID, metrics_token: str
) -> None:
    with unit_of_work() as session:
        session.execute(text("LOCK TABLE scheduled_run IN ACCESS EXCLUSIVE MODE"))
        scrape = Scrape(client, {"Authorization": f"Bearer {metrics_token}"})

    assert scrape.value("tacho_component_up", component="database") == 0


def test_openmetrics_is_sent_to_clients_that_accept_it(client: TestClient) -> None:
    plain = client.get(METRICS)
    accept = "application/openmetrics-text; version=1.0.0"
    exact = client.get(METRICS, headers={"Accept": accept})

    assert plain.headers["content-type"].startswith("text/plain")
    assert exact.headers["content-type"].startswith("application/openmetrics-text")
    assert exact.text.rstrip().endswith("# EOF")
