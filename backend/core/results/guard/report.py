"""The verdict about a change of a service, as a document, a sentence and a comment; pure."""

from collections.abc import Sequence
from math import log, log1p
from urllib.parse import quote

from backend.core.catalog.own.metrics import is_of_script, title_of, unit_of
from backend.core.control_characters import escape_control_characters
from backend.core.documents import JsonObject
from backend.core.markdown import escape_markdown
from backend.core.measurement.statistics.guard import ChangeState
from backend.core.numbers import agree, count_of, format_value, join_words, use_plain_spaces
from backend.core.results.guard.document import (
    MOST_DIFFERENCES,
    MOST_MINUTES,
    CheckCalls,
    ComparedCheck,
    GuardedLoad,
    GuardedMetric,
    GuardReport,
    ScriptOutcome,
)
from backend.core.results.ranking.comparison_text import format_percent
from backend.core.statuses import GuardVerdict

# A comment on a pull request is read at a glance.
_MOST_LINES = 25
_MINUS = "−"
# Larger changes are shown as factors.
_LARGE_RATIO = 2.0


def find_headline(report: GuardReport) -> str:
    """Return the verdict in one sentence without its full stop."""
    verdict = report.verdict
    if verdict is GuardVerdict.RESPONSES_DIFFER:
        if _is_broken(report):
            return "Different responses: the head fails checks of the script that the base passes"
        return "Different responses: the head does not answer as the base does, so nothing is timed"
    if verdict in {GuardVerdict.SLOWER, GuardVerdict.FASTER}:
        is_slower = verdict is GuardVerdict.SLOWER
        state = ChangeState.WORSE if is_slower else ChangeState.BETTER
        load, change = _find_strongest(report, state)
        return f"{_name_change(change)}, confirmed: {_describe_change(change)} on {load.load}"
    if verdict is GuardVerdict.UNKNOWN:
        open_changes = _list_changes(report, ChangeState.UNKNOWN)
        if not open_changes:
            return "Unknown: no pair of trials was completed in the time"
        names = dict.fromkeys(title_of(change.metric) for _, change in open_changes)
        return (
            f"Unknown: {join_words(list(names))} {agree(len(names), 'is', 'are')} not decided yet"
        )
    limits = sorted({change.limit for load in report.loads for change in load.changes})
    shown = format_percent(1 + limits[0]) if len(limits) == 1 else "its limit"
    return f"No difference above {shown} in any measured metric"


def list_lines(report: GuardReport) -> list[str]:
    """Return what follows the headline, as sentences in the order of importance."""
    if report.verdict is GuardVerdict.RESPONSES_DIFFER:
        if _is_broken(report):
            return [
                "Correct the head. If the change is intended, correct the checks in the script."
            ]
        return [
            "If this is intended, list what may differ in tacho.toml: [guard] ignore = "
            '["$.items[*].created_at"].'
        ]
    lines = [
        *(_describe_load(report, load) for load in report.loads if load.changes),
        _describe_trials(report),
        _describe_host(report),
        _describe_responses(report),
        *(_describe_script(load.load, load.script) for load in report.loads if load.script),
        _describe_needed(report),
    ]
    return [line for line in lines if line]


def list_differences(report: GuardReport) -> list[str]:
    """Return the differences between responses, as sentences that contain texts of services."""
    return [
        escape_control_characters(f"{load.load}: {text}")
        for load in report.loads
        for text in (
            *(found.describe() for found in (load.responses.differences if load.responses else ())),
            *(check.describe() for check in _list_broken(load)[:MOST_DIFFERENCES]),
        )
    ]


def render_text(report: GuardReport) -> str:
    """Return the verdict for a terminal."""
    lines = [f"{find_headline(report)}.", *list_differences(report), *list_lines(report)]
    return use_plain_spaces("\n".join([*lines, *report.warnings]))


def render_markdown(report: GuardReport, address: str | None = None) -> str:
    """Return the verdict as a comment for a pull request, of at most 25 lines.

    Args:
        address: of the page that shows the report.
    """
    base, head = report.base, report.head
    differences = list_differences(report)
    lines = [
        f"**{escape_markdown(find_headline(report))}**",
        "",
        # In a code block, texts of services do not become links or mentions.
        *(["~~~", *(f"  {line}" for line in differences), "~~~", ""] if differences else []),
        *[escape_markdown(line) for line in list_lines(report)],
        *[f"⚠ {escape_markdown(warning)}" for warning in report.warnings],
    ]
    last = [
        "",
        f"{escape_markdown(report.service)}: base {escape_markdown(base.label)}, "
        f"head {escape_markdown(head.label)}. Repeat: `{report.command.replace('`', '')}`"
        + (f" [Result]({_quote_address(address)})" if address else ""),
    ]
    return use_plain_spaces("\n".join([*lines[: _MOST_LINES - len(last)], *last]) + "\n")


def to_document(report: GuardReport, address: str | None = None) -> JsonObject:
    """Return the verdict for scripts: the evidence with the verdict and the headline.

    Args:
        address: of the page that shows the report.
    """
    headline = use_plain_spaces(find_headline(report))
    return {
        "verdict": report.verdict.value,
        "headline": headline,
        **({"url": _quote_address(address)} if address else {}),
        **report.model_dump(mode="json"),
    }


def format_change(ratio: float) -> str:
    """Return a ratio as a signed change, or as a factor from 2 on: `+7.9 %`, `×2.4`."""
    if ratio >= _LARGE_RATIO:
        return f"×{ratio:.3g}"
    percent = round(100 * (ratio - 1), 1)
    sign = _MINUS if percent < 0 else "+"
    return f"{sign}{abs(percent):g} %"


def _quote_address(address: str) -> str:
    """Return a web address without characters that would end a link; raise ValueError for others.

    The scheme is checked, because comments make links of it.
    """
    if not address.startswith(("https://", "http://")):
        raise ValueError(f"{address!r} is not a web address.")
    return quote(address, safe=":/?#[]@!$&'*+,;=%~")


def _format_bounds(low: float, high: float) -> str:
    """Return an interval as signed changes: `+6.1 to +9.8`."""
    if high >= _LARGE_RATIO:
        return f"{format_change(low)} to {format_change(high)}"
    return f"{format_change(low)} to {format_change(high)}".replace(" %", "")


def _list_changes(
    report: GuardReport, state: ChangeState
) -> list[tuple[GuardedLoad, GuardedMetric]]:
    return [
        (load, change) for load in report.loads for change in load.changes if change.state is state
    ]


def _find_strongest(report: GuardReport, state: ChangeState) -> tuple[GuardedLoad, GuardedMetric]:
    """Return the change that is furthest beyond its limit."""
    found = _list_changes(report, state)
    return max(found, key=lambda item: abs(log(item[1].ratio or 1.0)) / log1p(item[1].limit))


def _name_change(change: GuardedMetric) -> str:
    is_worse = change.state is ChangeState.WORSE
    if unit_of(change.metric) == "B":
        return "More memory" if is_worse else "Less memory"
    if is_of_script(change.metric):
        return "Worse" if is_worse else "Better"
    return "Slower" if is_worse else "Faster"


def _describe_change(change: GuardedMetric) -> str:
    """Return a decided change with its size: `CPU per request +7.9 % (+6.1 to +9.8)`."""
    title = title_of(change.metric)
    bounds = ""
    if change.low is not None and change.high is not None:
        bounds = f" ({_format_bounds(change.low, change.high)})"
    return f"{title} {format_change(change.ratio or 1.0)}{bounds}"


def _describe_load(report: GuardReport, load: GuardedLoad) -> str:
    """Return the other metrics of a load: `p99: no difference above 10 %`."""
    shown = set()
    if report.verdict in {GuardVerdict.SLOWER, GuardVerdict.FASTER}:
        is_slower = report.verdict is GuardVerdict.SLOWER
        state = ChangeState.WORSE if is_slower else ChangeState.BETTER
        strongest = _find_strongest(report, state)
        shown = {(strongest[0].load, strongest[1].metric)}
    parts = [
        _describe_metric(change)
        for change in load.changes
        if (load.load, change.metric) not in shown
    ]
    return f"{load.load}: {'. '.join(parts)}." if parts else ""


def _describe_metric(change: GuardedMetric) -> str:
    title, unit = title_of(change.metric), unit_of(change.metric)
    if change.state is ChangeState.WITHIN_LIMIT:
        return f"{title}: no difference above {format_percent(1 + change.limit)}"
    if change.state is ChangeState.UNKNOWN:
        if change.low is None or change.high is None:
            return f"{title}: unknown"
        low, high = format_change(change.low), format_change(change.high)
        return f"{title}: unknown, between {low.removesuffix(' %')} and {high}"
    values = " → ".join(format_value(value or 0.0, unit) for value in (change.base, change.head))
    return f"{_describe_change(change)}, {values}"


def _describe_trials(report: GuardReport) -> str:
    pairs = sum(load.pairs for load in report.loads)
    engines = join_words(list(dict.fromkeys(load.engine for load in report.loads)))
    return (
        f"{count_of(pairs, 'pair')} of trials, interleaved, {report.minutes:.0f} min; "
        f"load by {engines}."
    )


def _describe_host(report: GuardReport) -> str:
    """Return what this host can see, and the base compared with itself."""
    load, change = _choose_shown(report)
    text = f"Measured on {report.host} ({report.runtime})."
    if load is None or change is None:
        return text
    if change.visible is not None:
        title = title_of(change.metric)
        text = f"This host sees differences from {format_percent(1 + change.visible)} in {title}."
    own = change.base_against_itself
    if own is not None:
        half = (own.high - own.low) / 2
        text += f" Base against itself: {own.ratio:.2f} ± {half:.2f}."
    return text


def _choose_shown(report: GuardReport) -> tuple[GuardedLoad | None, GuardedMetric | None]:
    for state in (ChangeState.WORSE, ChangeState.BETTER):
        if _list_changes(report, state):
            return _find_strongest(report, state)
    for load in report.loads:
        for change in load.changes:
            return load, change
    return None, None


def _describe_responses(report: GuardReport) -> str:
    compared = [load.responses for load in report.loads if load.responses is not None]
    if not compared:
        # The next line is about the tests of the script.
        if any(load.script for load in report.loads):
            return ""
        return "Responses were not compared, because scripts send the loads."
    total = sum(equality.compared for equality in compared)
    equal = sum(equality.equal for equality in compared)
    return f"Responses equal: {equal:,} of {total:,}."


def _is_broken(report: GuardReport) -> bool:
    """Return whether the head fails checks of a script that the base passes."""
    return any(_list_broken(load) for load in report.loads)


def _list_broken(load: GuardedLoad) -> list[ComparedCheck]:
    return load.script.broken if load.script is not None else []


def _describe_script(load: str, script: ScriptOutcome) -> str:
    """Return how often the checks of a script passed, and which thresholds were not kept."""
    parts = []
    if script.checks:
        base = _count_passed([check.base for check in script.checks])
        head = _count_passed([check.head for check in script.checks])
        parts.append(f"the base passed {base} checks of the script, the head {head}")
    else:
        parts.append("the script has no checks, so wrong responses would not be seen")
    parts += [
        f"the threshold {found.threshold} of {found.metric} was kept in {found.base} of "
        f"{script.trials} trials of the base and {found.head} of the head"
        for found in script.thresholds
        if min(found.base, found.head) < script.trials
    ]
    return escape_control_characters(f"{load}: {'; '.join(parts)}.")


def _count_passed(checks: Sequence[CheckCalls]) -> str:
    """Return how many calls of checks passed: `4,998 of 5,000`."""
    passes = sum(check.passes for check in checks)
    return f"{passes:,} of {sum(check.calls for check in checks):,}"


def _describe_needed(report: GuardReport) -> str:
    """Return how many minutes would decide; empty if everything is decided."""
    unknown = _list_changes(report, ChangeState.UNKNOWN)
    if not unknown:
        return ""
    if any(change.pairs_needed is None for _, change in unknown):
        return (
            "More time may not decide: a change is close to its limit, or there are too few pairs. "
            "Use --minutes for a longer guard, or a wider limit."
        )
    factor = max((change.pairs_needed or 0) / max(1, change.pairs) for _, change in unknown)
    minutes = max(report.minutes * factor, report.most_minutes + 1)
    if minutes > MOST_MINUTES:
        return "Not even a day would decide on this machine. Use a wider limit."
    return f"About {minutes:.0f} min in all would decide: --minutes {minutes:.0f}."
