"""The parser, on captured real output."""

from pathlib import Path

import pytest

from backend.core.measurement.measurements.histogram import Histogram
from worker.loadgen.parse import (
    ConformanceLine,
    CountLine,
    EndLine,
    FirstWrongAnswer,
    LoadChecks,
    LoadLine,
    LoadLineInvalid,
    ReadyFailedLine,
    ReadyLine,
    ScriptCheck,
    ScriptMetric,
    ScriptReport,
    ScriptThreshold,
    SecondLine,
    StartLine,
    parse_line,
)

_FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> list[LoadLine]:
    return [parse_line(line) for line in (_FIXTURES / name).read_text().splitlines()]


def test_a_load_from_start_to_end() -> None:
    start, *seconds, end = read("rate.ndjson")

    assert isinstance(start, StartLine)
    assert start.seconds == 6
    assert isinstance(end, EndLine)
    assert end.k6_summary is not None
    assert end.k6_summary.requests == end.requests
    counted = [(line.second, line.requests) for line in seconds if isinstance(line, SecondLine)]
    assert counted == [(0, 50), (1, 49), (2, 13)]


def test_the_lateness_of_requests_is_parsed() -> None:
    _, *seconds, end = read("rate.ndjson")

    late = [
        Histogram.from_varints(second.lateness)
        for second in seconds
        if isinstance(second, SecondLine)
    ]
    assert isinstance(end, EndLine)
    assert Histogram.merge_all(late).count == end.requests
    # A request that was due in the first second was sent in the next.
    assert [item.count for item in late] == [50, 50, 12]


@pytest.mark.parametrize("name", ["rate.ndjson", "late.ndjson", "errors.ndjson"])
def test_the_figures_of_a_second_are_consistent(name: str) -> None:
    seconds = [line for line in read(name) if isinstance(line, SecondLine)]

    assert seconds
    for line in seconds:
        latency, timeouts = Histogram.from_varints(line.latency), line.errors.get("timeout", 0)
        assert Histogram.from_varints(line.latency_failed).count == line.failed - timeouts
        assert latency.count == line.requests - line.failed + timeouts
        assert sum(line.errors.values()) == line.failed
        if latency.count:
            assert latency.max == pytest.approx(line.latency_max_ns, rel=0.004)


def test_readiness() -> None:
    ready, ready_alone, failed = read("ready.ndjson")

    assert isinstance(ready, ReadyLine)
    assert (ready.first_status, ready.first_response_ms) == (200, 0.352974)
    assert isinstance(ready_alone, ReadyLine)
    assert (ready_alone.first_status, ready_alone.first_response_ms) == (None, None)
    assert isinstance(failed, ReadyFailedLine)
    assert "connection refused" in failed.reason


def test_conformance() -> None:
    lines = read("conformance.ndjson")

    failed = [line for line in lines if isinstance(line, ConformanceLine) and not line.passed]
    assert (len(lines), len(failed)) == (12, 5)
    assert failed[2].expected == '"Hello World!"'
    assert failed[2].got == '"Hello, World!" (0 of 1 right)'


def test_the_checks_of_a_load() -> None:
    end = parse_line(
        '{"type": "end", "requests": 12, "dropped": 0, "interrupted": 0, "checks": {"sent": 10, '
        '"answered": 9, "resent": 1, "compared": 2, "wrong": 1, "signed": 8, "bunched": 3, '
        '"controls": 2, "controls_wrong": 0, "first_wrong": {"request": "GET /hello?nonce=12", '
        '"expected": "body Hello World!", "got": "body Hello"}}}'
    )

    assert end == EndLine(
        requests=12,
        dropped=0,
        interrupted=0,
        checks=LoadChecks(
            sent=10,
            answered=9,
            resent=1,
            compared=2,
            wrong=1,
            signed=8,
            bunched=3,
            controls=2,
            first_wrong=FirstWrongAnswer(
                request="GET /hello?nonce=12", expected="body Hello World!", got="body Hello"
            ),
        ),
    )


def test_the_report_of_a_script() -> None:
    end = parse_line(
        '{"type":"end","requests":3,"dropped":0,"interrupted":0,"script":{"checks":[{"name":"is '
        'right","passes":2,"fails":1}],"thresholds":[{"metric":"checks","threshold":"rate>0.9",'
        '"passed":false}],"metrics":[{"name":"orders","type":"counter","value":5},{"name":"wait",'
        '"type":"trend","med":1.5,"p95":2}]}}'
    )

    assert isinstance(end, EndLine)
    assert end.script == ScriptReport(
        checks=[ScriptCheck(name="is right", passes=2, fails=1)],
        thresholds=[ScriptThreshold(metric="checks", threshold="rate>0.9", passed=False)],
        metrics=[
            ScriptMetric(name="orders", type="counter", value=5),
            ScriptMetric(name="wait", type="trend", med=1.5, p95=2),
        ],
    )


def test_a_count_of_verification() -> None:
    line = parse_line('{"type": "count", "name": "calls of the upstream", "value": 123}')

    assert line == CountLine(name="calls of the upstream", value=123)


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
