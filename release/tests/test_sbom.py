"""The bills of materials list what an installation contains, and depend only on the commit."""

import json
from pathlib import Path

from release.sbom import normalise, write_sboms
from release.source import ROOT, Source

COMMIT = Source(ROOT, "0" * 40, 1_764_000_000, "1.2.0")


def test_times_and_serial_numbers_are_of_the_commit() -> None:
    bill = {
        "serialNumber": "urn:uuid:1b671a64-40d5-491e-99b0-da01ff1f3341",
        "metadata": {
            "timestamp": "2030-01-01T00:00:00Z",
            "component": {"name": "tacho", "version": "0"},
        },
        "components": [],
    }

    assert normalise(bill, "1.2.0", 1_764_000_000) == {
        "metadata": {
            "timestamp": "2025-11-24T16:00:00+00:00",
            "component": {"name": "tacho", "version": "1.2.0"},
        },
        "components": [],
    }


def test_the_bills_list_the_locked_packages(tmp_path: Path) -> None:
    python, npm = (json.loads(path.read_text()) for path in write_sboms(COMMIT, ROOT, tmp_path))

    locked = [
        line.partition("==")[0]
        for line in (ROOT / "requirements.lock").read_text().splitlines()
        if "==" in line and not line.startswith(("#", " "))
    ]
    named = {component["name"] for component in python["components"]}
    assert {name.partition("[")[0] for name in locked} == named
    assert {"fastapi", "psycopg", "uv"} <= named
    assert all(component["purl"] for component in python["components"])

    shipped = {
        "/".join(filter(None, [component.get("group"), component["name"]]))
        for component in npm["components"]
    }
    assert {"react", "@mantine/core", "swagger-ui-dist"} <= shipped
    assert not {"vite", "eslint", "vitest"} & shipped
