"""Example data: loading, loading again, marking and removing; recorded runs stay unchanged."""

from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.config import ROOT, get_settings
from backend.core.db import unit_of_work
from backend.core.measurement.instrument.service import list_calibrations
from backend.core.models import Host, Run, Trial
from backend.core.operations.examples.bundle import (
    list_runs,
    pack_run,
    read_bundle,
    write_bundle,
)
from backend.core.operations.examples.service import FOLDER, load_examples
from backend.core.runs import repository
from backend.core.units import Purpose
from backend.tests.factories import add_host, ask_run, first_workspace, succeed_next
from backend.tests.rows import count_rows

EXAMPLES = "/api/v1/examples"
BUNDLES = list((ROOT / "services" / FOLDER).glob("*.json.gz"))


def test_a_recorded_run_is_the_same_elsewhere(
    client: TestClient, host_id: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        run_id = ask_run(session, ["node", "go-nethttp"], count=5).id
        for _ in range(10):
            succeed_next(session, host_id)
    measured = client.get(f"/api/v1/runs/{run_id}/export.json").json()
    with unit_of_work() as session:
        run = repository.get_run(session, str(run_id))
        write_bundle(pack_run(session, run), tmp_path / FOLDER / "run.json.gz")
        session.execute(delete(Trial))
        session.execute(delete(Run))
        session.execute(delete(Host))
    monkeypatch.setenv("TACHO_SERVICES_DIR", str(tmp_path))
    get_settings.cache_clear()

    first = client.put(EXAMPLES)
    again = client.put(EXAMPLES)
    monkeypatch.undo()
    get_settings.cache_clear()

    assert first.status_code == 200, first.text
    assert first.json() == again.json()
    loaded = client.get(f"/api/v1/runs/{run_id}/export.json").json()
    assert loaded["trials"] == measured["trials"]
    assert loaded["cells"] == measured["cells"]
    assert (loaded["example"], loaded["host"]) == (True, "bench-01 (example)")
    assert loaded["title"].endswith(", example from bench-01")
    history = client.get("/api/v1/history", params={"framework": "node", "scenario": "hello"})
    assert len(history.json()["series"]) == 1


def test_the_calibration_of_the_host_is_loaded_with_its_runs(
    session: Session, tmp_path: Path
) -> None:
    host = add_host(session)
    calibration = ask_run(session, count=2, purpose=Purpose.CALIBRATION)
    for _ in range(2):
        succeed_next(session, host.id)
    for name, cpus in (("a", 2), ("b", 2), ("c", 4)):
        host.fingerprint_digest = f"{cpus} CPUs"
        run = ask_run(session, count=5)
        for _ in range(5):
            succeed_next(session, host.id)
        session.flush()
        bundle = pack_run(session, repository.get_run(session, str(run.id)))
        write_bundle(bundle, tmp_path / FOLDER / f"{name}.json.gz")
    calibration_id, calibration_slug = calibration.id, calibration.slug
    session.execute(delete(Trial))
    session.execute(delete(Run))
    session.execute(delete(Host))
    session.expunge_all()

    loaded = load_examples(session, first_workspace(session), tmp_path)

    assert {slugs[1:] for slugs in (tuple(item.run_slugs) for item in loaded)} == {
        (calibration_slug,)
    }
    names = session.scalars(select(Host.name).where(Host.example).order_by(Host.name)).all()
    assert names == ["bench-01 (example 2)", "bench-01 (example)"]
    (found,) = list_calibrations(session, names)
    assert (found.name, found.run_id) == ("bench-01 (example)", calibration_id)


@pytest.mark.acceptance
def test_the_examples_of_this_version_are_loaded_and_removed(
    client: TestClient, host_id: UUID
) -> None:
    items = client.get(EXAMPLES).json()["items"]
    assert items
    assert not any(item["loaded"] for item in items)

    loaded = client.put(EXAMPLES).json()["items"]

    assert all(item["loaded"] for item in loaded)
    with unit_of_work() as session:
        assert None not in set(session.scalars(select(Run.outcome)))
    assert {None} < {item["study"] for item in loaded}, "one is a schedule"
    for item in [item for item in loaded if item["study"] is not None]:
        study = client.get(f"/api/v1/studies/{item['study']}").json()
        assert (study["shown"]["slug"], study["shown"]["example"]) == (item["slug"], True)
    hosts = client.get("/api/v1/hosts").json()["items"]
    assert [host["name"] for host in hosts] == ["bench-01"]
    node, fastify = changed_lines(client, "node"), changed_lines(client, "fastify")
    assert {'+      work(100); return sendText(response, "Hello World!");', "+// release 2"} <= node
    assert {'-  work(100); return "Hello World!";', '+  return "Hello World!";'} <= fastify
    removed = [
        run["run"]
        for path in BUNDLES
        for run in list_runs(read_bundle(path))
        if run["run"]["purpose"] != Purpose.CALIBRATION
    ]
    assert client.delete(EXAMPLES).json() == {"runs": len(removed)}
    assert count_rows() == (0, 0, 0)


def changed_lines(client: TestClient, framework: str) -> set[str]:
    """Return the lines that differ between the builds of a framework's confirmed incident."""
    query = {"framework": framework, "status": "confirmed"}
    (item,) = client.get("/api/v1/incidents", params=query).json()["items"]
    (program,) = client.get(f"/api/v1/incidents/{item['id']}").json()["programs"]
    assert (program["program"], program["is_recorded"]) == (framework, True)
    (file,) = program["files"]
    assert (file["path"], file["change"]) == ("server.js", "changed")
    return {line for line in file["diff"].splitlines() if line[0] in "+-"}


def test_examples_are_small_and_of_runs_with_numbers() -> None:
    assert sum(path.stat().st_size for path in BUNDLES) < 15_000_000
    for path in BUNDLES:
        for run in list_runs(read_bundle(path)):
            assert any(trial["metrics"] for trial in run["trials"])
