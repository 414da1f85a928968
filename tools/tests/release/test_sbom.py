"""The bills of materials list what an installation contains, and depend only on the commit."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from backend.platform.tools import get_tool
from tools.release.go_modules import list_go, read_hashes
from tools.release.sbom import normalise, write_image_sbom, write_sboms
from tools.release.source import ROOT, ReleaseError, ReleaseSource, run
from worker.loadgen.build import ensure_k6

COMMIT = ReleaseSource(ROOT, "0" * 40, 1_764_000_000, "1.2.0")


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
    paths = write_sboms(COMMIT, ROOT, tmp_path)
    python, npm, _ = (json.loads(path.read_text()) for path in paths)

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
    # Installations build the frontend, and do not check it.
    assert "vite" in shipped
    assert not {"eslint", "vitest"} & shipped


def test_the_bill_of_go_lists_the_modules_of_k6() -> None:
    bill = list_go(ROOT)

    assert find_errors(bill) is None
    listed = {component["name"]: component for component in bill["components"]}
    k6 = listed["go.k6.io/k6/v2"]
    assert k6["purl"] == f"pkg:golang/go.k6.io/k6/v2@{k6['version']}"
    assert listed["stdlib"]["version"].startswith("1.")
    for name, version, digest in read_modules_of_binary():
        assert listed[name]["version"] == version
        sha256 = base64.b64decode(digest.removeprefix("h1:")).hex()
        assert listed[name]["hashes"] == [{"alg": "SHA-256", "content": sha256}]


def test_hashes_of_files_are_read_and_those_of_go_mod_are_not() -> None:
    sums = (
        "example.com/a v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
        "example.com/a v1.0.0/go.mod h1:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    )

    assert read_hashes(sums) == {("example.com/a", "v1.0.0"): "00" * 32}


def test_a_module_that_is_replaced_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "worker" / "loadgen" / "k6"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module x\n\ngo 1.25.0\n\nreplace a.org/b => ../b\n")
    (tmp_path / "backend").symlink_to(ROOT / "backend")

    with pytest.raises(ReleaseError, match="replaces modules"):
        list_go(tmp_path)


@pytest.mark.parametrize(("prefix", "interpreters"), [("/usr/local", 1), ("/usr", 0)])
def test_the_bill_of_an_image_lists_debian_packages_and_python(
    prefix: str, interpreters: int, tmp_path: Path
) -> None:
    answers = {
        "cat": 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_ID="13"\nID=debian\n',
        "dpkg-query": "zlib1g\t1:1.3+b1\tamd64\tzlib\nlibc6\t2.41-12\tamd64\tglibc\n",
        "python3": f"{prefix} 3.13.9\n",
    }

    path = write_image_sbom(COMMIT, lambda program, *_: answers[program], tmp_path)

    bill = json.loads(path.read_text())
    assert path.name == "tacho-1.2.0-image.cdx.json"
    assert find_errors(bill) is None
    assert [component["purl"] for component in bill["components"][:2]] == [
        "pkg:deb/debian/libc6@2.41-12?arch=amd64&distro=debian-13",
        "pkg:deb/debian/zlib1g@1:1.3%2Bb1?arch=amd64&distro=debian-13",
    ]
    assert bill["components"][0]["properties"] == [{"name": "debian:source", "value": "glibc"}]
    found = [part["version"] for part in bill["components"] if part["name"] == "python"]
    assert found == ["3.13.9"] * interpreters


def find_errors(bill: dict[str, Any]) -> object:
    """Return what CycloneDX's own schema refuses in a bill; None for nothing."""
    text = json.dumps(normalise(bill, COMMIT.version, COMMIT.epoch))
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)


def read_modules_of_binary() -> list[list[str]]:
    """Return name, version and hash of each module in a k6 that Go has built."""
    go = get_tool("go").path
    built = ensure_k6(ROOT / ".tacho/cache", go)
    shown = run(ROOT, go, "version", "-m", built).splitlines()
    modules = [line.split()[1:] for line in shown if line.startswith("\tdep\t")]
    assert len(modules) > 50
    return modules
