"""Each way in which a trial fails has advice for the operator."""

from collections.abc import Iterator

import worker.bench_host.work  # noqa: F401  it imports everything that ends a trial
from backend.core.errors import TachoError, TrialCancelled, TrialFailure
from backend.core.operations.monitoring.failure_advice import (
    ADVICE_BY_CAUSE,
    ADVICE_BY_CODE,
)
from backend.core.units import FailureCause
from worker.runtime.errors import RuntimeFailure

# Their subclasses end trials. A cancelled trial has not failed.
_BASES = (TrialFailure, RuntimeFailure)
_NO_FAILURES = (TrialFailure, TrialCancelled)


def list_subclasses(base: type[TachoError]) -> Iterator[type[TachoError]]:
    yield base
    for child in base.__subclasses__():
        yield from list_subclasses(child)


def list_kinds(*bases: type[TachoError]) -> set[tuple[FailureCause, str]]:
    return {
        (kind.cause, kind.code)
        for base in bases
        for kind in list_subclasses(base)
        if kind.__module__.startswith(("backend.core", "worker."))
        and not kind.__module__.startswith("worker.tests")
        and kind not in _NO_FAILURES
    }


def test_every_kind_of_failure_of_a_trial_has_advice() -> None:
    # Their advice is that of their cause.
    general = {(FailureCause.LOAD_GENERATOR, code) for code in ("load_failed", "load_line_invalid")}

    assert list_kinds(*_BASES) - general - ADVICE_BY_CODE.keys() == set()
    # Codes of other versions too.
    assert ADVICE_BY_CAUSE.keys() == set(FailureCause)


def test_no_advice_is_about_a_failure_that_does_not_exist() -> None:
    assert ADVICE_BY_CODE.keys() - list_kinds(TachoError) == set()
