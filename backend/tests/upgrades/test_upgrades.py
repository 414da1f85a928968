"""The data of earlier versions has the same permalinks and the same numbers after an upgrade."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient

from backend.core.config import ROOT, Settings
from backend.core.schema import LAST_BEFORE_BASELINE, SchemaMismatch
from backend.main import create_app
from backend.platform.backups.archive import verify_backup
from backend.platform.servers import plain_url
from backend.tests.answers import document
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.installation import forget_cached
from backend.tests.upgrades import fixture
from backend.tests.upgrades.fixture import RecordedData
from cli.migrate import upgrade_schema

RECORDED = fixture.list_recorded()
# The steps of docs/operator-guide/upgrades.md for data from before the baseline, without the other
# parts of an upgrade.
FIRST_UPGRADE = """
import os
from alembic import command
from backend.core.operations.migration import alembic_config
command.upgrade(alembic_config(os.environ["DATABASE_URL"]), "head")
"""


@pytest.fixture(scope="module", params=RECORDED, ids=lambda recorded: recorded.day)
def recorded(request: pytest.FixtureRequest) -> RecordedData:
    """Return the data of one earlier version."""
    data: RecordedData = request.param
    return data


@pytest.fixture(scope="module")
def client(
    recorded: RecordedData,
    new_database: Callable[[], str],
    redis_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TestClient]:
    """A client of the API on the upgraded data."""
    url, folder = new_database(), tmp_path_factory.mktemp("upgrade")
    recorded.restore(url)
    backup = upgrade_schema(url, Settings().services_dir, folder).backup
    assert backup is not None
    verify_backup(backup)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", url)
        patch.setenv("REDIS_URL", redis_url)
        patch.setenv("TACHO_DATA", str(folder))
        patch.setenv("TACHO_TOKEN", "")
        patch.setenv("TACHO_TRUST_LOOPBACK", "true")
        forget_cached()
        with TestClient(create_app(), HERE, client=LOOPBACK) as client:
            yield client
        forget_cached()


def test_three_runs_are_recorded(recorded: RecordedData) -> None:
    assert len(recorded.list_slugs()) == 3
    assert sum(file.stat().st_size for file in recorded.folder.iterdir()) < 500_000


def test_runs_have_the_same_numbers(client: TestClient, recorded: RecordedData) -> None:
    for slug in recorded.list_slugs():
        before = recorded.read(slug)
        after = document(client.get(f"/api/v1/runs/{slug}/export.json"))

        assert after["permalink"] == before["permalink"]
        assert [str(found) for found in fixture.compare(before, after)] == []
        assert count_numbers(before) > 200


def test_results_of_few_seconds_are_shown_but_not_ranked(
    client: TestClient, recorded: RecordedData
) -> None:
    """The loads of the recorded runs take 4 s."""
    for slug in recorded.list_slugs():
        run = document(client.get(f"/api/v1/runs/{slug}"))
        for cell in run["cells"]:
            names = [verdict["verdict"] for verdict in cell["verdicts"]]
            assert (cell["excluded"], "steadiness_not_tested" in names) == (True, True)
            assert cell["summary"]
    board = document(client.get("/api/v1/leaderboard?scenario=hello"))
    assert board["board"] is None or board["board"]["entries"] == []


def test_a_snapshot_has_the_same_numbers(client: TestClient, recorded: RecordedData) -> None:
    after = document(client.get(f"/api/v1/comparisons/{recorded.read_hash()}"))

    assert [str(found) for found in fixture.compare(recorded.read("snapshot"), after)] == []


def test_what_has_no_result_is_kept(client: TestClient) -> None:
    (slo,) = document(client.get("/api/v1/slos"))["items"]
    (schedule,) = document(client.get("/api/v1/schedules"))["items"]

    assert (slo["scenario"], slo["metric"], slo["limit"]) == ("hello", "latency_p99_ms", 250)
    assert schedule["name"] == "Every year"
    visibilities = {
        run["title"]: run["visibility"] for run in document(client.get("/api/v1/runs"))["items"]
    }
    assert visibilities == {
        "Node.js and Go": "public",
        "A slow upstream": "unlisted",
        "A single trial": "private",
    }


def test_data_from_before_the_baseline_take_two_upgrades(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    archive = ("git", "archive", LAST_BEFORE_BASELINE, "backend", "migrations")
    packed = subprocess.run(archive, cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"Git does not have the commit {LAST_BEFORE_BASELINE}.")
    url, services = new_database(), Settings().services_dir
    fixture.find_recorded("2026-11-22").restore(url, "before-baseline.dump")

    with pytest.raises(SchemaMismatch, match=f"Upgrade to the commit {LAST_BEFORE_BASELINE} first"):
        upgrade_schema(url, services, tmp_path)
    code = tmp_path / "code"
    code.mkdir()
    subprocess.run(("tar", "--extract"), cwd=code, input=packed.stdout, check=True)
    program = (sys.executable, "-c", FIRST_UPGRADE)
    subprocess.run(program, cwd=code, env=os.environ | {"DATABASE_URL": url}, check=True)
    upgrade_schema(url, services, tmp_path)

    with psycopg.connect(plain_url(url)) as connection:
        runs = connection.execute("SELECT title FROM run ORDER BY 1").fetchall()
    assert runs == [("A single trial",), ("A slow upstream",), ("Node.js and Go",)]


def test_a_difference_is_found() -> None:
    before = {"trials": [{"p99": 1.0, "p50": 0.5, "host": {}, "detail": "old words", "slug": "a"}]}
    after = {"trials": [{"p99": 1.1, "p50": None, "host": None, "detail": "new words"}, {}]}

    paths = sorted(found.path for found in fixture.compare(before, after))

    trial = ".trials[0]"
    differing = [f"{trial}.host", f"{trial}.p50", f"{trial}.p99", f"{trial}.slug"]
    assert paths == [".trials.length", *differing]


def test_a_warning_may_move_and_be_renamed_but_not_appear() -> None:
    few, saturated = {"verdict": "too_few_trials"}, {"verdict": "generator_saturated", "trials": 1}
    missed = {"verdict": "rate_missed", "trials": 1}
    before = {"verdicts": [saturated, few]}

    assert list(fixture.compare(before, {"verdicts": [few, missed]})) == []
    (found,) = fixture.compare(before, {"verdicts": [few, missed, {"verdict": "host_busy"}]})
    assert found.path == ".verdicts.length"
    (found,) = fixture.compare(before, {"verdicts": [few, missed | {"trials": 2}]})
    assert found.path == ".verdicts.rate_missed.trials"


def test_the_interval_of_two_trials_may_be_gone_but_not_that_of_three() -> None:
    two = {"p99": {"estimate": 1.5, "low": 0.1, "high": 9.0, "n": 2}}
    three = {"p99": {"estimate": 1.5, "low": 1.4, "high": 1.6, "n": 3}}
    gone = {"low": None, "high": None}

    assert list(fixture.compare(two, {"p99": two["p99"] | gone})) == []
    found = fixture.compare(three, {"p99": three["p99"] | gone})
    assert [difference.path for difference in found] == [".p99.high", ".p99.low"]


def count_numbers(found: object) -> int:
    """Return how many numbers a document has."""
    if isinstance(found, dict):
        return sum(map(count_numbers, found.values()))
    if isinstance(found, list):
        return sum(map(count_numbers, found))
    return isinstance(found, int | float) and not isinstance(found, bool)


def test_an_interval_may_end_at_zero_but_not_move_elsewhere() -> None:
    before = {"throughput_rps": {"estimate": 1.5, "low": -0.9, "high": 4.1, "n": 5}}

    cut = {"throughput_rps": before["throughput_rps"] | {"low": 0.0}}
    assert list(fixture.compare(before, cut)) == []
    moved = {"throughput_rps": before["throughput_rps"] | {"low": 0.1}}
    (found,) = fixture.compare(before, moved)
    assert found.path == ".throughput_rps.low"
