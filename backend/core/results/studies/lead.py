"""Write the first sentences of a study's page from the results of its headline claims; pure."""

from collections.abc import Sequence

from backend.core.catalog.study_claims import PublishedClaim
from backend.core.numbers import format_value, join_words
from backend.core.results.studies.findings import ClaimFinding, ClaimResult, FindingCause
from backend.core.units import METRICS

# A sentence with more values is hard to read.
_MOST_VALUES = 4

Judged = tuple[PublishedClaim, ClaimResult]


def write_lead(claims: Sequence[Judged]) -> list[str]:
    """Return what is still true of a study, and for each cause what is not.

    The first sentence is about what is true, or explains why nothing is. The list is empty without
    a headline claim.

    Args:
        claims: all claims of the study with their results.
    """
    headlines = [(claim, result) for claim, result in claims if claim.headline]
    if not headlines:
        return []
    true = [pair for pair in headlines if pair[1].finding is ClaimFinding.HOLDS]
    others = [pair for pair in headlines if pair[1].finding is not ClaimFinding.HOLDS]
    first = f"Still true: {_list_claims(true)}" if true else _explain_none(others)
    sentences = [first]
    for cause in FindingCause:
        of_cause = [pair for pair in others if pair[1].cause is cause]
        if of_cause:
            words = cause.words[0].upper() + cause.words[1:]
            sentences.append(f"{words}: {_list_claims(of_cause)}")
    return sentences


def _explain_none(headlines: Sequence[Judged]) -> str:
    """Return that no headline claim holds, with the causes."""
    counts = {
        cause: sum(result.cause is cause for _, result in headlines) for cause in FindingCause
    }
    causes = join_words([f"{count} × {cause.words}" for cause, count in counts.items() if count])
    return f"No headline claim of this study is confirmed here ({causes})."


def _list_claims(claims: Sequence[Judged]) -> str:
    return " ".join(f"{claim.words.rstrip('.')}{_show_values(result)}." for claim, result in claims)


def _show_values(result: ClaimResult) -> str:
    """Return the values that decided a claim in brackets; empty if a system has several."""
    systems = [measured.system for measured in result.measured]
    if result.deciding is None or result.finding is ClaimFinding.UNDECIDED:
        return ""
    if not systems or len({*systems}) < len(systems):
        return ""
    unit = METRICS[result.deciding.metric].unit
    shown = [
        f"{measured.system} {format_value(measured.value, unit)}"
        for measured in result.measured[:_MOST_VALUES]
    ]
    return f" ({', '.join(shown)})"
