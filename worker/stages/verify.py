"""Verify that the service fulfils the scenario's contract, before any load."""

from dataclasses import asdict

from backend.core.errors import VerificationFailed
from worker.loadgen.command import verify_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import ConformanceLine
from worker.runtime.base import Pod
from worker.stages.start import Started
from worker.stages.watch import Watch

_LIMIT_SECONDS = 120


def verify(pod: Pod, started: Started, watch: Watch) -> list[dict[str, object]]:
    """Run the scenario's conformance checks.

    Returns:
        Every check as `{"name", "passed", "expected", "got"}`.

    Raises:
        VerificationFailed: with the failed checks as evidence.
        LoadGeneratorDied: the load generator was killed before the end of the checks.
    """
    watch.set_deadline(_LIMIT_SECONDS)
    command = verify_command("k6", f"{started.folder}/verify.js")
    execution = pod.execute(command, started.environment)
    checks: list[dict[str, object]] = []
    for parsed in read_lines(execution):
        if isinstance(parsed, ConformanceLine):
            check = asdict(parsed)
            checks.append({key: check[key] for key in ("name", "passed", "expected", "got")})
    watch.check()
    end = await_exit(execution)
    watch.set_deadline(None)
    if end.is_killed:
        raise explain_death(end, execution)
    failed = [check for check in checks if not check["passed"]]
    if failed:
        names = ", ".join(str(check["name"]) for check in failed)
        raise VerificationFailed(
            f"{len(failed)} of {len(checks)} checks failed: {names}. No load was sent.",
            evidence=checks,
        )
    if not end.is_success or not checks:
        raise explain_death(end, execution)
    return checks
