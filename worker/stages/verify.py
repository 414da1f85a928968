"""Verify that the service fulfils the scenario's contract, before any load."""

from backend.core.documents import ConformanceCheck
from backend.core.errors import VerificationFailed
from worker.loadgen.command import verify_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import ConformanceLine
from worker.runtime.base import Pod
from worker.stages.context import TrialContext
from worker.stages.start import ReadyService

_LIMIT_SECONDS = 120


def verify(context: TrialContext, pod: Pod, service: ReadyService) -> list[ConformanceCheck]:
    """Run the scenario's conformance checks and return them; all have passed.

    Raises:
        VerificationFailed: with all checks as evidence.
        LoadGeneratorDied: the load generator was killed before the end of the checks.
    """
    context.watch.set_deadline(_LIMIT_SECONDS)
    command = verify_command("k6", f"{service.folder}/verify.js")
    execution = pod.execute(command, service.environment)
    checks = [
        ConformanceCheck(name=line.name, passed=line.passed, expected=line.expected, got=line.got)
        for line in read_lines(execution)
        if isinstance(line, ConformanceLine)
    ]
    context.watch.check()
    end = await_exit(execution)
    context.watch.set_deadline(None)
    if end.is_killed:
        raise explain_death(end, execution)
    failed = [check["name"] for check in checks if not check["passed"]]
    if failed:
        raise VerificationFailed(
            f"{len(failed)} of {len(checks)} checks failed: {', '.join(failed)}. No load was sent.",
            evidence=checks,
        )
    if not end.is_success or not checks:
        raise explain_death(end, execution)
    return checks
