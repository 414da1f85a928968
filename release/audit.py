"""Look the locked dependencies up in databases of known vulnerabilities: `make audit`.

A database that cannot be reached is reported, and does not fail the audit. The packages that it
should have answered for are not audited then.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from release.source import ROOT, ReleaseError

_UNREACHABLE = re.compile(
    r"connect|timed? ?out|resolv|ENOTFOUND|ECONN|EAI_AGAIN|proxy|certificate|ServiceError|"
    r"unreachable|\b[45]\d\d ",
    re.IGNORECASE,
)
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
    """Print the audits of Python and npm packages, and return whether they found nothing."""
    audits = (audit_python(ROOT / "requirements.lock"), audit_npm(ROOT / "frontend"))
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


def _run(folder: Path, *command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _parse(text: str) -> dict[str, Any] | None:
    try:
        report: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    return report
