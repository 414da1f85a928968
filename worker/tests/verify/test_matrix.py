"""The table of services that have passed."""

import json
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from backend.tests.catalogue import write_framework, write_scenario, write_services
from worker.verify.matrix import write_matrix
from worker.verify.record import Record


def test_the_table_names_runtimes_and_the_newest_pass(tmp_path: Path) -> None:
    services = write_services(tmp_path / "services", "a")
    write_scenario(services, "more")
    write_framework(services, "b", "[scenarios.hello]\n", "[scenarios.hello]\n[scenarios.more]\n")
    passed = {
        "docker/b/hello": {"digest": "1", "at": "2026-11-20T10:00:00+00:00"},
        "process/b/hello": {"digest": "2", "at": "2026-11-21T10:00:00+00:00"},
        "process/gone/hello": {"digest": "3", "at": "2026-11-22T10:00:00+00:00"},
        "process/a/hello": "of an older Tacho",
    }
    record = tmp_path / "verified.json"
    record.write_text(json.dumps(passed))

    table = write_matrix(Catalogue(services), Record(record)).splitlines()

    assert table[0] == "| framework | hello | more | last |"
    assert table[2:] == ["| a |  | – |  |", "| b | docker, process |  | 2026-11-21 |"]
