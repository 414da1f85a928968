"""Look the locked dependencies up in databases of known vulnerabilities: `make audit`.

A database that cannot be reached is reported, and does not fail the audit. The packages that it
should have answered for are not audited then.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tools.release.go_modules import SOURCE
from tools.release.source import ROOT, ReleaseError

_UNREACHABLE = re.compile(
    r"connect|timed? ?out|resolv|ENOTFOUND|ECONN|EAI_AGAIN|proxy|certificate|ServiceError|"
    r"unreachable|no such host|dial tcp|\b[45]\d\d ",
    re.IGNORECASE,
)
_GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
_PYTHON_DATABASES = {"pypi": "the advisories of PyPI", "osv": "OSV"}


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Attributes:
        packages: which packages were looked up, and where.
        vulnerabilities: a line for each known vulnerability; None if no database answered.
        unreachable: a line for each database that did not answer.
        unknown: packages that the database does not have.
    """

    packages: str
    vulnerabilities: tuple[str, ...] | None
    unreachable: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def audit() -> bool:
    """Print the audits of Python packages, npm packages and Go modules.

    Returns whether they found nothing.
    """
    with ThreadPoolExecutor() as pool:
        audits = [
            pool.submit(audit_python, ROOT / "requirements.lock"),
            pool.submit(audit_npm, ROOT / "frontend"),
            pool.submit(audit_go, ROOT / SOURCE),
        ]
    return print_audits([done.result() for done in audits])


def print_audits(audits: Sequence[Audit]) -> bool:
    """Print the results of audits, and return whether they found nothing."""
    for done in audits:
        for line in done.unreachable:
            print(f"Not reached: {line}")
        if done.unknown:
            print(f"Not in the database: {', '.join(done.unknown)}")
        if done.vulnerabilities is None:
            print(f"{done.packages}: not audited, because no database answered")
        elif not done.vulnerabilities:
            print(f"{done.packages}: no known vulnerability")
        else:
            print(f"{done.packages}: {len(done.vulnerabilities)} known vulnerabilities")
            print("\n".join(f"  {line}" for line in done.vulnerabilities))
    return not any(done.vulnerabilities for done in audits)


def audit_python(lock: Path) -> Audit:
    """Return the audit of a lock file by the first database that answers."""
    unreachable = []
    for service, database in _PYTHON_DATABASES.items():
        options = ("--disable-pip", "--require-hashes", "--progress-spinner", "off")
        done = _run(
            ROOT,
            Path(sys.executable).with_name("pip-audit"),
            *("--requirement", lock, "--format", "json", "--vulnerability-service", service),
            *options,
        )
        report = _parse(done.stdout)
        if report is None:
            unreachable.append(f"{database}: {_explain(done.stderr)}")
            continue
        unknown = list_unknown(report)
        if len(unknown) < len(report["dependencies"]):
            return Audit(f"{lock.name} in {database}", read_pip_audit(report), (), unknown)
        # A mirror of packages without their advisories.
        unreachable.append(f"{database}: none of the {len(unknown)} packages is there")
    return Audit(lock.name, None, tuple(unreachable))


def audit_npm(folder: Path) -> Audit:
    """Return the audit of a lock file by the npm registry, with the tools that build the pages."""
    packages = f"{folder.name}/package-lock.json in the advisories of npm"
    npm = (sys.executable, "-m", "backend.platform.tools", "npm")
    done = _run(folder, *npm, "audit", "--json", "--package-lock-only")
    report = _parse(done.stdout)
    if report is None or "auditReportVersion" not in report:
        reason = (report or {}).get("message") or done.stderr
        return Audit(packages, None, (f"the advisories of npm: {_explain(reason)}",))
    return Audit(packages, read_npm_audit(report))


def audit_go(folder: Path) -> Audit:
    """Return the audit of the modules of a Go program, by govulncheck with the locked Go.

    It finds vulnerabilities of packages that are in the program, also if it calls no function that
    is affected.
    """
    packages = f"{folder.name}/go.mod in the database of Go"
    specification = find_spec("go")
    assert specification is not None
    assert specification.submodule_search_locations
    go = Path(specification.submodule_search_locations[0], "bin", "go")
    options = ("-format", "json", "-scan", "package", ".")
    # The build of k6 has these settings.
    environment = {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    done = _run(folder, go, "run", _GOVULNCHECK, *options, environment=environment)
    if done.returncode != 0:
        # The last line is of `go run`: the exit code.
        reason = done.stderr.strip().removesuffix(f"exit status {done.returncode}")
        return Audit(packages, None, (f"the database of Go: {_explain(reason)}",))
    return Audit(packages, read_govulncheck(done.stdout))


def read_govulncheck(output: str) -> tuple[str, ...]:
    """Return a line for each vulnerability in the output of govulncheck: JSON documents in a row.

    A finding without a package is about a module whose affected packages are not in the program.
    """
    decoder = json.JSONDecoder()
    summaries: dict[str, str] = {}
    lines = []
    while output := output.lstrip():
        document, end = decoder.raw_decode(output)
        output = output[end:]
        if "osv" in document:
            summaries[document["osv"]["id"]] = document["osv"].get("summary", "")
        found = document.get("finding")
        if found is not None and "package" in (place := found["trace"][0]):
            lines.append(
                f"{place['module']} {place['version']}: {found['osv']} "
                f"({summaries.get(found['osv'], '')}), fixed in "
                f"{found.get('fixed_version') or 'no version'}"
            )
    return tuple(dict.fromkeys(lines))


def read_pip_audit(report: dict[str, Any]) -> tuple[str, ...]:
    """Return a line for each vulnerability in a report of pip-audit."""
    return tuple(
        f"{package['name']} {package['version']}: {found['id']}, fixed in "
        f"{', '.join(found['fix_versions']) or 'no version'}"
        for package in report["dependencies"]
        for found in package.get("vulns", [])
    )


def list_unknown(report: dict[str, Any]) -> tuple[str, ...]:
    """Return the packages that pip-audit did not find in its database."""
    return tuple(package["name"] for package in report["dependencies"] if "vulns" not in package)


def read_npm_audit(report: dict[str, Any]) -> tuple[str, ...]:
    """Return a line for each vulnerability in a report of npm.

    Packages that are only affected through others are left out.
    """
    return tuple(
        f"{name} {found['range']}: {cause['title']} ({cause['severity']}, {cause['url']})"
        for name, found in sorted(report["vulnerabilities"].items())
        for cause in found["via"]
        if isinstance(cause, dict)
    )


def _explain(output: str) -> str:
    """Return the last line of a program that reached no database; raise ReleaseError if it failed
    for another reason."""
    lines = output.strip().splitlines() or [""]
    if not _UNREACHABLE.search(output):
        raise ReleaseError(f"The audit failed:\n{output[-4000:]}")
    return lines[-1][:300]


def _run(
    folder: Path, *command: str | Path, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )


def _parse(text: str) -> dict[str, Any] | None:
    try:
        report: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    return report
