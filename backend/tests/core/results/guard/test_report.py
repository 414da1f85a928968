"""The verdict about a change, as sentences, as a comment and as a document."""

import json
from dataclasses import replace

import pytest

from backend.core.config import ROOT
from backend.core.measurement.statistics.guard import ChangeEvidence, ChangeState
from backend.core.results.guard.document import (
    CheckCalls,
    ComparedCheck,
    ComparedThreshold,
    Equality,
    GuardedLoad,
    GuardedMetric,
    GuardReport,
    ResponseDifference,
    ScriptOutcome,
    SelfComparison,
    ServiceVersion,
)
from backend.core.results.guard.report import (
    format_change,
    render_markdown,
    render_text,
    to_document,
)
from backend.core.statuses import GuardVerdict
from backend.core.units import Metric, RuntimeKind

# The page formats them, too.
CASES = json.loads((ROOT / "frontend/src/features/guards/change-cases.json").read_text())
EQUAL = Equality(compared=40, equal=40)
BASE_SERIES = [1.00, 1.01, 1.00, 0.99, 1.01, 1.00, 1.00, 1.01]
CPU, MEMORY, P99 = Metric.CPU_US_PER_REQUEST, Metric.MEMORY_PEAK_BYTES, Metric.LATENCY_P99_MS


def change(
    metric: Metric, state: ChangeState, ratio: float = 1.0, limit: float = 0.03
) -> ChangeEvidence:
    return ChangeEvidence(
        metric=metric,
        limit=limit,
        state=state,
        pairs=8,
        ratio=ratio,
        low=ratio / 1.02,
        high=ratio * 1.02,
        pairs_needed=20 if state is ChangeState.UNKNOWN else None,
        base=1000.0,
        head=1000.0 * ratio,
        visible=0.026,
    )


def report(*changes: ChangeEvidence, responses: Equality | None = EQUAL) -> GuardReport:
    own = SelfComparison.of(BASE_SERIES)
    load = GuardedLoad(
        load="checkout",
        engine="Tacho's sender",
        responses=responses,
        pairs=8,
        changes=tuple(GuardedMetric.of(item, own) for item in changes),
    )
    return GuardReport(
        service="shop",
        base=ServiceVersion(name="origin/main", commit="a" * 40, title="Old"),
        head=ServiceVersion(name="working tree"),
        loads=(load,),
        host="bench-1",
        runtime=RuntimeKind.DOCKER,
        minutes=10.7,
        most_minutes=15,
        command="tacho guard --base aaaaaaaaaa --seed 1",
    )


SLOWER = report(
    change(CPU, ChangeState.WORSE, 1.079),
    change(MEMORY, ChangeState.WITHIN_LIMIT, limit=0.05),
    change(P99, ChangeState.UNKNOWN, 1.04, limit=0.1),
)


@pytest.mark.parametrize(
    ("states", "verdict", "headline"),
    [
        (
            [(CPU, ChangeState.WORSE, 1.079)],
            GuardVerdict.SLOWER,
            "Slower, confirmed: CPU per request +7.9 % (+5.8 to +10.1) on checkout.",
        ),
        (
            [(CPU, ChangeState.WORSE, 2.5)],
            GuardVerdict.SLOWER,
            "Slower, confirmed: CPU per request ×2.5 (×2.45 to ×2.55) on checkout.",
        ),
        (
            [(MEMORY, ChangeState.WORSE, 1.2), (CPU, ChangeState.WITHIN_LIMIT, 1.0)],
            GuardVerdict.SLOWER,
            "More memory, confirmed: Memory peak +20 % (+17.6 to +22.4) on checkout.",
        ),
        (
            [(CPU, ChangeState.BETTER, 0.9), (MEMORY, ChangeState.WITHIN_LIMIT, 1.0)],
            GuardVerdict.FASTER,
            "Faster, confirmed: CPU per request −10 % (−11.8 to −8.2) on checkout.",
        ),
        (
            [(CPU, ChangeState.WITHIN_LIMIT, 1.0)],
            GuardVerdict.NO_DIFFERENCE,
            "No difference above 3 % in any measured metric.",
        ),
        (
            [(CPU, ChangeState.BETTER, 0.9), (P99, ChangeState.UNKNOWN, 1.0)],
            GuardVerdict.UNKNOWN,
            "Unknown: Latency p99 is not decided yet.",
        ),
        ([], GuardVerdict.UNKNOWN, "Unknown: no pair of trials was completed in the time."),
    ],
)
def test_the_verdict_is_the_most_serious_state(
    states: list[tuple[Metric, ChangeState, float]], verdict: GuardVerdict, headline: str
) -> None:
    found = report(*(change(*state) for state in states))

    assert found.verdict is verdict
    assert render_text(found).splitlines()[0] == headline


@pytest.mark.parametrize(("ratio", "text"), CASES)
def test_changes_are_written_as_on_the_page(ratio: float, text: str) -> None:
    assert format_change(ratio) == text


def script_of(fails: int, calls: int = 5_000, base_fails: int = 0) -> ScriptOutcome:
    """Return the outcome of a script whose check the head has failed so often."""
    base = CheckCalls(passes=(calls or 5_000) - base_fails, fails=base_fails)
    head = CheckCalls(passes=calls - fails, fails=fails)
    check = ComparedCheck(name="is 200", base=base, head=head)
    slow = ComparedThreshold(metric="wait", threshold="p(95)<200", base=8, head=3)
    kept = ComparedThreshold(metric="wait", threshold="max<900", base=8, head=8)
    return ScriptOutcome(trials=8, checks=(check,), thresholds=(slow, kept), metrics=("wait",))


def scripted(script: ScriptOutcome, *changes: ChangeEvidence) -> GuardReport:
    found = report(*changes, responses=None)
    load = found.loads[0].model_copy(update={"script": script, "engine": "k6"})
    return found.model_copy(update={"loads": (load,)})


@pytest.mark.parametrize(
    ("fails", "calls", "base_fails", "is_broken"),
    [
        (51, 5_000, 0, True),
        (50, 5_000, 0, False),
        # The head never calls the check, or never passes it.
        (0, 0, 0, True),
        (1, 1, 0, True),
        # Few calls differ so much by chance.
        (2, 100, 0, False),
        (20, 100, 0, True),
        (18, 400, 8, False),
        (40, 400, 8, True),
    ],
)
def test_a_head_that_fails_checks_of_a_script_passes_no_guard(
    fails: int, calls: int, base_fails: int, is_broken: bool
) -> None:
    found = scripted(script_of(fails, calls, base_fails), change(CPU, ChangeState.BETTER, 0.5))

    assert (found.verdict is GuardVerdict.RESPONSES_DIFFER) is is_broken
    if is_broken:
        first, second, last = render_text(found).splitlines()
        assert first.startswith("Different responses: the head fails checks of the script")
        assert f"{fails:,} of {calls:,} times in the head" in second
        assert last.startswith("Correct the head.")


def test_checks_and_broken_thresholds_of_a_script_are_named() -> None:
    wait = change(Metric.CPU_US_PER_REQUEST, ChangeState.WORSE, 1.1)
    text = render_text(scripted(script_of(2), replace(wait, metric="script:wait.p95")))

    assert "Worse, confirmed: wait p95 +10 %" in text
    assert "checkout: the base passed 5,000 of 5,000 checks of the script" in text
    assert "the head 4,998 of 5,000; the threshold p(95)<200 of wait was kept in 8 of 8" in text
    assert "max<900" not in text
    assert "Responses were not compared" not in text


def test_different_responses_hide_all_numbers() -> None:
    difference = ResponseDifference(
        request="GET /a (line 1)", place="$.total", base="10", head="11"
    )
    found = report(
        change(CPU, ChangeState.BETTER, 0.5),
        responses=Equality(compared=40, equal=39, differences=(difference,)),
    )

    assert found.verdict is GuardVerdict.RESPONSES_DIFFER
    assert "GET /a (line 1): $.total was 10, now 11." in render_text(found)
    assert "50 %" not in render_text(found) + render_markdown(found)


def test_the_comment_is_complete_without_a_click() -> None:
    assert render_markdown(SLOWER).splitlines() == [
        "**Slower, confirmed: CPU per request +7.9 % (+5.8 to +10.1) on checkout**",
        "",
        "checkout: Memory peak: no difference above 5 %. "
        "Latency p99: unknown, between +2 and +6.1 %.",
        "8 pairs of trials, interleaved, 11 min; load by Tacho's sender.",
        "This host sees differences from 2.6 % in CPU per request. "
        "Base against itself: 1.00 ± 0.02.",
        "Responses equal: 40 of 40.",
        "About 27 min in all would decide: --minutes 27.",
        "",
        "shop: base aaaaaaaaaa, head working tree. "
        "Repeat: `tacho guard --base aaaaaaaaaa --seed 1`",
    ]


def test_a_comment_has_at_most_25_lines_and_no_markup_of_others() -> None:
    difference = ResponseDifference(
        request="GET /a", place="the body", base='"~~~\\n@all <b>"', head='"[x](http://y)"'
    )
    responses = Equality(compared=9, equal=0, differences=(difference,) * 5)
    found = report(responses=responses).model_copy(update={"warnings": ("*strong* `x`",) * 40})

    lines = render_markdown(found).splitlines()

    assert len(lines) <= 25
    begin, end = (at for at, line in enumerate(lines) if line == "~~~")
    assert all("@all" not in line for at, line in enumerate(lines) if not begin < at < end)


def test_an_estimate_that_is_not_decided_is_not_published() -> None:
    document = to_document(SLOWER)
    by_metric = {item["metric"]: item for item in document["loads"][0]["changes"]}

    assert document["verdict"] == "slower"
    assert by_metric[P99]["ratio"] is None
    assert by_metric[P99]["pairs_needed"] == 20
    assert by_metric[CPU]["ratio"] == pytest.approx(1.079)
    assert by_metric[CPU]["base_against_itself"]["ratio"] == pytest.approx(1.0, abs=0.02)


def test_the_base_is_compared_with_itself_from_the_sixth_trial_on() -> None:
    assert SelfComparison.of([1.0, 1.0, 1.0, 1.0, 1.0]) is None
    found = SelfComparison.of([1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    assert found is not None
    assert (found.ratio, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))


def test_a_stored_result_is_linked_in_the_last_line_and_in_the_document() -> None:
    address = "https://tacho.example.org/a)b <c>/guards/k3v9q2mx4d"
    quoted = "https://tacho.example.org/a%29b%20%3Cc%3E/guards/k3v9q2mx4d"

    last = render_markdown(SLOWER, address).splitlines()[-1]
    document = to_document(SLOWER, address)

    assert last.endswith(f"--seed 1` [Result]({quoted})")
    assert document["url"] == quoted
    assert "url" not in to_document(SLOWER)
    assert "[Result]" not in render_markdown(SLOWER)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "/guards/k3v9q2mx4d", "file:///etc"])
def test_only_web_addresses_are_linked(address: str) -> None:
    for render in (render_markdown, to_document):
        with pytest.raises(ValueError, match="is not a web address"):
            render(SLOWER, address)
