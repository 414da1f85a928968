"""Judging which check caught a cheat, and drawing a sample."""

import pytest

from backend.core.catalog.cheats import CatchingCheck
from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.measurement.measurements.verdicts import ResultWarning
from backend.core.units import RuntimeKind, Verdict
from worker.verify.cheats import SuspectTrial, find_catching_checks, summarise
from worker.verify.suspects import Suspect, list_suspects, sample_suspects
from worker.verify.trial import VerifyLoad, VerifyOutcome

_LOAD = VerifyLoad("saturate-quick", {})
_CHEAT = Suspect("wrong", "hello", _LOAD, (CatchingCheck.WRONG_ANSWERS,))
_HONEST = Suspect("go-nethttp", "hello", _LOAD)


def outcome(*verdicts: Verdict, is_refused: bool = False, failure: str = "") -> VerifyOutcome:
    warnings = [ResultWarning(verdict, "why") for verdict in verdicts]
    failure = failure or " ".join(verdicts)
    return VerifyOutcome("a", "hello", is_refused=is_refused, verdicts=warnings, failure=failure)


def trial(suspect: Suspect, found: VerifyOutcome) -> SuspectTrial:
    return SuspectTrial(RuntimeKind.PROCESS, suspect, found)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (outcome(), []),
        (outcome(is_refused=True, failure="refused"), [CatchingCheck.VERIFICATION]),
        (outcome(failure="does not start"), []),
        (outcome(Verdict.TOO_MANY_ERRORS), []),
        (
            outcome(Verdict.WORK_NOT_DONE, Verdict.WRONG_ANSWERS),
            [CatchingCheck.WORK_NOT_DONE, CatchingCheck.WRONG_ANSWERS],
        ),
    ],
)
def test_a_service_is_caught_by_verification_or_by_its_verdicts(
    found: VerifyOutcome, expected: list[CatchingCheck]
) -> None:
    assert find_catching_checks(found) == expected


def test_all_caught_and_nobody_accused_meets_the_goals() -> None:
    trials = [trial(_CHEAT, outcome(Verdict.WRONG_ANSWERS)), trial(_HONEST, outcome())]

    summary = summarise(trials)

    assert summary["met"]
    assert (summary["caught"], summary["missed"], summary["accused"]) == (1, [], [])


def test_a_cheat_that_is_missed_or_an_honest_service_that_is_accused_does_not() -> None:
    # Another check caught it.
    missed = summarise([trial(_CHEAT, outcome(is_refused=True, failure="refused"))])
    accused = summarise([trial(_HONEST, outcome(Verdict.WORK_NOT_DONE))])

    assert missed["missed"] == ["process/wrong/hello"]
    assert accused["accused"] == ["process/go-nethttp/hello"]
    assert [summary["met"] for summary in (missed, accused, summarise([]))] == [False] * 3


def test_the_loads_of_all_suspects_exist() -> None:
    catalogue = Catalogue(ROOT / "services")
    suspects = list_suspects(catalogue, [])

    assert len([suspect for suspect in suspects if not suspect.is_cheat]) == 14
    for suspect in suspects:
        assert suspect.scenario in catalogue.get_framework(suspect.framework)[0].scenarios


def test_a_sample_depends_on_its_seed_only() -> None:
    suspects = list_suspects(Catalogue(ROOT / "services"), [])

    drawn = sample_suspects(suspects, 6, seed=3)

    assert drawn == sample_suspects(suspects, 6, seed=3)
    assert drawn != sample_suspects(suspects, 6, seed=4)
    assert [suspect.is_cheat for suspect in drawn] == [True] * 6 + [False] * 2
