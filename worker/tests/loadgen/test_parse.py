"""The parser, on captured real output."""

from pathlib import Path

import pytest

from worker.loadgen.parse import (
    LoadLineInvalid,
    parse_line,
)

_FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "the whole line"),
        ("     execution: local", "the whole line"),
        ("[]", "the whole line"),
        ('{"type": "second"}', "second.requests, second.failed"),
        ('{"type": "minute"}', '"minute"'),
        ('{"type": "count", "name": "calls", "value": "3"}', r"\(count.value\)"),
        (
            '{"type": "end", "requests": 1, "dropped": 0, "interrupted": 0, '
            '"checks": {"sent": 1.5}}',
            r"\(end.checks.sent\)",
        ),
        ('{"type": "ready_failed", "reason": 3}', r"\(ready_failed.reason\)"),
        ('{"type": "ready_failed", "reason": "", "extra": 1}', r"\(ready_failed.extra\)"),
    ],
)
def test_an_unreadable_line_is_named(line: str, problem: str) -> None:
    with pytest.raises(LoadLineInvalid, match=problem):
        parse_line(line)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"requests":50', '"requests":-1', r"\(second.requests\)"),
        ('"requests":50', '"requests":"50"', r"\(second.requests\)"),
        ('"second":0', '"second":-1', r"\(second.second\)"),
        ('"latency_failed":""', '"latency_failed":"?"', r"\(second.latency_failed\)"),
        ('"latency_failed":""', '"latency_failed":3', r"\(second.latency_failed\)"),
    ],
)
def test_a_damaged_second_is_refused(old: str, new: str, problem: str) -> None:
    line = (_FIXTURES / "rate.ndjson").read_text().splitlines()[1]
    assert old in line

    with pytest.raises(LoadLineInvalid, match=problem):
        parse_line(line.replace(old, new))
