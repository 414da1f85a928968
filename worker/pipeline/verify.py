"""Verify: does the service honour the scenario's contract? Asked before any load."""

from dataclasses import asdict

from backend.core.errors import VerificationFailed
from worker.loadgen.command import verify_command
from worker.loadgen.parse import ConformanceLine, parse_line
from worker.pipeline.start import Started
from worker.pipeline.watch import Watch
from worker.runtime.base import Pod

_LIMIT_SECONDS = 120


def verify(pod: Pod, started: Started, watch: Watch) -> list[dict[str, object]]:
    """Run the scenario's conformance checks.

    Returns:
        Every check as `{"name", "passed", "expected", "got"}`.

    Raises:
        VerificationFailed: with the failed checks as evidence.
    """
    watch.set_deadline(_LIMIT_SECONDS)
    command = verify_command("k6", f"{started.folder}/verify.js")
    execution = pod.execute(command, started.environment)
    checks: list[dict[str, object]] = []
    for line in execution.lines():
        parsed = parse_line(line)
        if isinstance(parsed, ConformanceLine):
            check = asdict(parsed)
            checks.append({key: check[key] for key in ("name", "passed", "expected", "got")})
    watch.check()
    code = execution.wait(5)
    watch.set_deadline(None)
    failed = [check for check in checks if not check["passed"]]
    if failed:
        names = ", ".join(str(check["name"]) for check in failed)
        raise VerificationFailed(
            f"{len(failed)} of {len(checks)} checks failed: {names}. No load was sent.",
            evidence=checks,
        )
    if code != 0 or not checks:
        raise VerificationFailed(
            f"The checks did not run to their end (exit code {code}): {execution.stderr[-2000:]}",
            evidence=checks,
        )
    return checks
