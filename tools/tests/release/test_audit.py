"""An audit fails for known vulnerabilities, and reports databases that do not answer."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.release import audit
from tools.release.audit import (
    Audit,
    audit_go,
    audit_npm,
    audit_python,
    list_unknown,
    read_govulncheck,
    read_npm_audit,
    read_pip_audit,
)
from tools.release.go_modules import SOURCE
from tools.release.source import ROOT, ReleaseError

PIP_AUDIT = {
    "dependencies": [
        {"name": "fastapi", "version": "0.1", "vulns": []},
        {
            "name": "jinja2",
            "version": "2.0",
            "vulns": [
                {"id": "PYSEC-1", "fix_versions": ["2.1", "3.0"], "aliases": []},
                {"id": "PYSEC-2", "fix_versions": [], "aliases": []},
            ],
        },
        {"name": "private", "skip_reason": "Dependency not found"},
    ],
    "fixes": [],
}
NPM_AUDIT = {
    "auditReportVersion": 2,
    "vulnerabilities": {
        "outer": {"range": "*", "via": ["inner"]},
        "inner": {
            "range": "<2.0.0",
            "via": [{"title": "Escape", "severity": "high", "url": "GHSA-1"}],
        },
    },
}

GOVULNCHECK = """{
  "config": {
    "protocol_version": "v1.0.0",
    "scan_level": "package"
  }
}
{ "progress": { "message": "Fetching vulnerabilities from the database..." } }
{ "osv": { "id": "GO-2099-0001", "summary": "Escape in k6" } }
{ "osv": { "id": "GO-2099-0002", "summary": "Escape in http" } }
{ "osv": { "id": "GO-2099-0003", "summary": "Escape in js" } }
{
  "finding": {
    "osv": "GO-2099-0001",
    "fixed_version": "v2.3.0",
    "trace": [ { "module": "go.k6.io/k6/v2", "version": "v2.2.0" } ]
  }
}
{
  "finding": {
    "osv": "GO-2099-0002",
    "trace": [ { "module": "stdlib", "version": "v1.26.8", "package": "net/http" } ]
  }
}
{
  "finding": {
    "osv": "GO-2099-0002",
    "trace": [ { "module": "stdlib", "version": "v1.26.8", "package": "net/http/cgi" } ]
  }
}
{
  "finding": {
    "osv": "GO-2099-0003",
    "fixed_version": "v2.3.0",
    "trace": [ { "module": "go.k6.io/k6/v2", "version": "v2.2.0", "package": "go.k6.io/k6/v2/js" } ]
  }
}
"""


def test_vulnerabilities_of_python_packages() -> None:
    assert read_pip_audit(PIP_AUDIT) == (
        "jinja2 2.0: PYSEC-1, fixed in 2.1, 3.0",
        "jinja2 2.0: PYSEC-2, fixed in no version",
    )
    assert list_unknown(PIP_AUDIT) == ("private",)


def test_a_database_that_has_none_of_the_packages_is_not_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mirror of packages may have no advisories."""
    unknown = {"dependencies": [{"name": "private", "skip_reason": "Dependency not found"}]}
    monkeypatch.setattr(
        audit,
        "_run",
        lambda *_: subprocess.CompletedProcess((), 0, stdout=json.dumps(unknown), stderr=""),
    )

    done = audit_python(tmp_path / "requirements.lock")

    assert done.vulnerabilities is None
    assert done.unreachable[0] == "the advisories of PyPI: none of the 1 packages is there"


def test_vulnerabilities_of_npm_packages() -> None:
    assert read_npm_audit(NPM_AUDIT) == ("inner <2.0.0: Escape (high, GHSA-1)",)


def test_vulnerabilities_of_go_packages_that_k6_contains() -> None:
    """The output is of govulncheck 1.9.0, with made-up vulnerabilities."""
    assert read_govulncheck(GOVULNCHECK) == (
        "stdlib v1.26.8: GO-2099-0002 (Escape in http), fixed in no version",
        "go.k6.io/k6/v2 v2.2.0: GO-2099-0003 (Escape in js), fixed in v2.3.0",
    )
    assert read_govulncheck('{"config": {"protocol_version": "v1.0.0"}}\n') == ()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send all requests to a port of this machine at which nothing listens."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("npm_config_fetch_retries", "0")


@pytest.mark.usefixtures("no_network")
def test_a_database_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(f"six==1.17.0 --hash=sha256:{'0' * 64}\n")

    done = audit_python(lock)

    assert done.vulnerabilities is None
    assert [line.partition(":")[0] for line in done.unreachable] == [
        "the advisories of PyPI",
        "OSV",
    ]


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("audit_folder", "folder", "database"),
    [
        (audit_npm, ROOT / "frontend", "the advisories of npm: "),
        (audit_go, ROOT / SOURCE, "the database of Go: "),
    ],
)
def test_a_registry_that_cannot_be_reached_is_named(
    audit_folder: Callable[[Path], Audit], folder: Path, database: str
) -> None:
    done = audit_folder(folder)

    assert done.vulnerabilities is None
    assert done.unreachable[0].startswith(database)


@pytest.mark.usefixtures("no_network")
def test_an_audit_that_fails_for_another_reason_raises(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"missing\.lock"):
        audit_python(tmp_path / "missing.lock")


@pytest.mark.parametrize(
    ("found", "expected", "printed"),
    [
        ((), True, "packages: no known vulnerability"),
        (("a 1: X",), False, "packages: 1 known vulnerabilities\n  a 1: X"),
        (None, True, "Not reached: OSV: refused\npackages: not audited"),
    ],
)
def test_the_result_is_printed(
    found: tuple[str, ...] | None,
    expected: bool,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = Audit("packages", found, ("OSV: refused",) if found is None else ())
    monkeypatch.setattr(audit, "audit_python", lambda _lock: Audit("python", ()))
    monkeypatch.setattr(audit, "audit_npm", lambda _folder: Audit("npm", ()))
    monkeypatch.setattr(audit, "audit_go", lambda _folder: done)

    assert audit.audit() is expected
    assert printed in capsys.readouterr().out
