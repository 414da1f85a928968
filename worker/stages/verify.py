"""Verify that the service fulfils the scenario's contract, before the load and after it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from backend.core.documents import CallCount, ConformanceCheck
from backend.core.errors import VerificationFailed
from backend.core.numbers import count_of
from worker.loadgen.command import verify_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import ConformanceLine, CountLine
from worker.runtime.base import Execution, Pod
from worker.stages.context import TrialContext
from worker.stages.start import ReadyService

_LIMIT_SECONDS = 120
# After the load, a service may need a moment before it answers again.
_RETRIES = 2
_PAUSE_SECONDS = 1.0


@dataclass
class Verification:
    """The checks of one run of verify.js, and the calls that it read from peers, by name.

    Attributes:
        is_wrong: whether a check failed although the service had answered.
    """

    checks: list[ConformanceCheck] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    is_wrong: bool = False

    @property
    def failed(self) -> list[str]:
        """Return the names of the checks that failed."""
        return [check["name"] for check in self.checks if not check["passed"]]


def verify(context: TrialContext, pod: Pod, service: ReadyService) -> Verification:
    """Run the scenario's conformance checks and return them; all have passed.

    Raises:
        VerificationFailed: with all checks as evidence.
        LoadGeneratorDied: the load generator was killed before the end of the checks.
    """
    done = _run_script(context, pod, service, "before")
    if failed := done.failed:
        raise VerificationFailed(
            f"{len(failed)} of {count_of(len(done.checks), 'check')} failed: {', '.join(failed)}. "
            "No load was sent.",
            evidence=done.checks,
        )
    return done


def verify_again(
    context: TrialContext, pod: Pod, service: ReadyService, *, has_leftovers: bool
) -> Verification:
    """Run the short checks for the warm service after the load and return them.

    They run again if a check failed because nothing answered, or if requests of the load were left
    unanswered: the service may still work on them, and their calls disturb the counts. The calls
    are those that were read first.

    Raises:
        LoadGeneratorDied: the load generator was killed before the end of the checks.
    """
    done = _run_script(context, pod, service, "after")
    for _ in range(_RETRIES):
        if not done.failed or (done.is_wrong and not has_leftovers):
            break
        time.sleep(_PAUSE_SECONDS)
        again = _run_script(context, pod, service, "after")
        done = replace(again, calls=again.calls | done.calls)
    return done


def count_calls(before: Mapping[str, int], after: Mapping[str, int]) -> Sequence[CallCount]:
    """Return how many calls the load caused, from the counts before and after it.

    A count that was read only once is None, because nobody knows what the load caused.
    """
    return [
        CallCount(
            name=name,
            calls=after[name] - before[name] if name in before and name in after else None,
        )
        for name in dict.fromkeys([*before, *after])
    ]


def _run_script(context: TrialContext, pod: Pod, service: ReadyService, phase: str) -> Verification:
    context.watch.set_deadline(_LIMIT_SECONDS)
    command = verify_command("k6", f"{service.folder}/verify.js")
    execution = pod.execute(command, {**service.environment, "TACHO_PHASE": phase})
    done = _read(execution)
    context.watch.check()
    end = await_exit(execution)
    context.watch.set_deadline(None)
    if end.is_killed or not (done.failed or (end.is_success and done.checks)):
        raise explain_death(end, execution)
    return done


def _read(execution: Execution) -> Verification:
    done = Verification()
    for line in read_lines(execution):
        if isinstance(line, ConformanceLine):
            done.checks.append(
                ConformanceCheck(
                    name=line.name, passed=line.passed, expected=line.expected, got=line.got
                )
            )
            done.is_wrong = done.is_wrong or (line.answered and not line.passed)
        elif isinstance(line, CountLine):
            done.calls[line.name] = line.value
    return done
