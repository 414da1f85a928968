"""The alert rules and the dashboard of the operator's guide use metrics that Tacho has."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

import worker.monitoring  # noqa: F401  its metrics are part of the output
from backend.core.config import ROOT, Settings
from backend.core.db import unit_of_work
from backend.core.operations.backups import store_success
from backend.main import create_app
from backend.platform.layout import Layout
from backend.platform.processes.part_states import PartState, write_part_states
from backend.tests.factories import add_host
from backend.tests.guide.dashboard import list_queries
from backend.tests.installation import sweep_up

FOLDER = ROOT / "docs" / "operator-guide" / "monitoring"
RULES = FOLDER / "tacho-rules.yml"
PAGE = FOLDER.with_suffix(".md")
_METRIC = re.compile(r"\b(?:tacho|process)_[a-z_]+\b")
_SUFFIXES = {
    "counter": ("_total",),
    "histogram": ("_bucket", "_count", "_sum"),
    "info": ("_info",),
}


@pytest.fixture(scope="module")
def known(installation: Settings) -> Iterator[set[str]]:
    """The names of all metrics of API, worker and dispatcher."""
    layout = Layout(installation.data)
    layout.make()
    state = PartState(
        name="api",
        is_well=True,
        restarts=0,
        reason=None,
        last_lines=[],
        failed_at=None,
        next_try_at=None,
    )
    write_part_states(layout.part_states, [state])
    with unit_of_work() as session:
        add_host(session)
        store_success(session, datetime.now(UTC), "tacho.backup", 1, timedelta(days=1))
    with TestClient(create_app(), "http://127.0.0.1:8000", client=("127.0.0.1", 50000)) as client:
        content = client.get("/metrics").text
    names = set()
    for family in text_string_to_metric_families(content):
        suffixes = _SUFFIXES.get(family.type, ("",))
        names |= {family.name + suffix for suffix in suffixes}
    yield names
    layout.part_states.unlink()
    sweep_up()


def test_alert_rules_and_dashboard_use_metrics_that_exist(known: set[str]) -> None:
    queries = list_queries()
    for text in (RULES.read_text(), "\n".join(queries)):
        used = set(_METRIC.findall(text))
        assert used
        assert used - known == set()
    assert len(queries) > 20


def test_the_page_lists_every_metric_of_tacho(known: set[str]) -> None:
    listed = set(_METRIC.findall(PAGE.read_text()))
    ours = {re.sub("_(bucket|count|sum)$", "", name) for name in known if name.startswith("tacho_")}

    assert ours - listed == set()
    assert {name for name in listed if name.startswith("tacho_")} - ours == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", RULES),
        ("check", "config", "--syntax-only", FOLDER / "prometheus.yml"),
        ("test", "rules", FOLDER / "tacho-rules-test.yml"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[1]}",
)
def test_promtool_accepts_the_files(arguments: tuple[str | Path, ...]) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is missing; install it with `apt-get install prometheus`")
    checked = subprocess.run(
        [promtool, *arguments], cwd=FOLDER, capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "FAILED" not in checked.stdout


def test_every_alert_has_a_test_that_fires_and_an_action() -> None:
    alerts = set(re.findall(r"- alert: (\w+)", RULES.read_text()))
    tests = (FOLDER / "tacho-rules-test.yml").read_text()
    firing = set(re.findall(r"alertname: (\w+)\n +exp_alerts:\n", tests))

    assert alerts
    assert firing == alerts
    assert RULES.read_text().count("action:") == len(alerts)
