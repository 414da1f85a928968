"""The first sentences of a study's page."""

from collections.abc import Sequence
from dataclasses import replace

from backend.core.catalog.study_claims import Check, PublishedClaim
from backend.core.results.studies.claims import judge_claim
from backend.core.results.studies.findings import write_lead
from backend.core.results.studies.measured import MeasuredCell, Reproduction
from backend.core.units import Verdict
from backend.tests.core.results.studies.reproductions import (
    ONE,
    QUICK,
    THROUGHPUT,
    TWO,
    cell,
    study,
)


def lead(relations: Sequence[str], *cells: MeasuredCell, headline: bool = True) -> list[str]:
    """Return the lead of a study with a claim for each relation of One to Two and Three."""
    claims = [
        PublishedClaim(
            words=f"One serves {relation} than Two and Three.",
            source_location="Results",
            headline=headline,
            checks=(
                Check.model_validate(
                    {
                        "experiment": "load",
                        "metric": THROUGHPUT,
                        "of": "One",
                        "relation": relation,
                        "against": ["Two", "Three"],
                    }
                ),
            ),
        )
        for relation in relations
    ]
    run = Reproduction(QUICK, cells)
    found = write_lead([(claim, judge_claim(claim, study(), run)) for claim in claims])
    return [sentence.replace("\u202f", " ").replace("\xa0", " ") for sentence in found]


THREE = cell("three", [300, 303, 301, 300, 302])


def test_it_begins_with_what_is_still_true_and_its_values() -> None:
    values = "(One 101 req/s, Two 202 req/s, Three 301 req/s)"

    assert lead(["less", "more"], ONE, TWO, THREE) == [
        f"Still true: One serves less than Two and Three {values}.",
        f"Contradicted: One serves more than Two and Three {values}.",
    ]


def test_it_explains_why_nothing_is_true() -> None:
    first, *others = lead(["less", "more"], ONE, TWO)

    assert first == (
        "No headline claim of this study is confirmed here (1 × contradicted and 1 × not measured)."
    )
    assert [sentence.split(":")[0] for sentence in others] == ["Contradicted", "Not measured"]


def test_values_that_decide_nothing_are_not_in_it() -> None:
    unsteady = replace(THREE, verdicts=[Verdict.NEVER_STEADY])

    assert lead(["less"], ONE, replace(TWO, verdicts=[Verdict.NEVER_STEADY]), unsteady)[1] == (
        "Not steady: One serves less than Two and Three."
    )


def test_only_headline_claims_are_in_it() -> None:
    assert lead(["less"], ONE, TWO, THREE, headline=False) == []
