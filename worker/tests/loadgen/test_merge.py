"""Lines of several load generators become those of one load, without loss."""

from dataclasses import fields, replace

from backend.tests.measuring import histogram_of
from worker.loadgen.merge import LineMerger, merge_seconds
from worker.loadgen.parse import EndLine, FirstWrongAnswer, K6Summary, LoadChecks, SecondLine


def make_second(
    second: int, latencies_ms: list[int], errors: dict[str, int] | None = None
) -> SecondLine:
    latencies = [latency * 1_000_000 for latency in latencies_ms]
    return SecondLine(
        second=second,
        requests=len(latencies),
        failed=0,
        connections_opened=1,
        errors=errors or {},
        bytes_sent=10 * len(latencies),
        bytes_received=20 * len(latencies),
        dropped=1,
        vus=3,
        in_flight=0.5,
        latency_sum_ns=sum(latencies),
        latency_max_ns=max(latencies),
        latency=encode(latencies),
        latency_failed=b"",
        service_time=encode([latency // 2 for latency in latencies]),
    )


def encode(latencies_ns: list[int]) -> bytes:
    return histogram_of(latency / 1e6 for latency in latencies_ns).to_varints()


def test_a_second_is_the_sum_of_its_parts() -> None:
    merged = merge_seconds(
        [
            make_second(4, [1, 2, 9], {"timeout": 1}),
            make_second(4, [3, 5], {"timeout": 2, "dns": 1}),
        ]
    )

    assert merged.second == 4
    assert (merged.requests, merged.connections_opened, merged.dropped) == (5, 2, 2)
    assert (merged.bytes_sent, merged.bytes_received) == (50, 100)
    assert (merged.vus, merged.in_flight) == (6, 1.0)
    assert merged.errors == {"timeout": 3, "dns": 1}
    assert (merged.latency_sum_ns, merged.latency_max_ns) == (20_000_000, 9_000_000)
    assert merged.latency == encode([ms * 1_000_000 for ms in (1, 2, 9, 3, 5)])
    assert merged.latency_failed == b""
    assert merged.service_time == encode([ms * 500_000 for ms in (1, 2, 9, 3, 5)])
    assert merged.script_share is None


def test_the_script_that_works_most_limits_the_load() -> None:
    lines = [replace(make_second(4, [1]), script_share=share) for share in (0.2, 0.97, 0.4)]

    assert merge_seconds(lines).script_share == 0.97


def test_a_second_comes_out_once_all_have_reported_it() -> None:
    merger = LineMerger(2)

    assert merger.add_second(0, make_second(0, [1])) is None
    assert merger.add_second(0, make_second(1, [1])) is None
    # A late line of a generator that is ahead waits for the other generator too.
    assert merger.add_second(0, make_second(0, [2])) is None
    first = merger.add_second(1, make_second(0, [3]))
    second = merger.add_second(1, make_second(1, [4]))

    assert first is not None
    assert (first.second, first.requests) == (0, 3)
    assert second is not None
    assert (second.second, second.requests) == (1, 2)


def test_late_lines_of_a_complete_second_come_out_at_once() -> None:
    merger = LineMerger(2)
    merger.add_second(0, make_second(0, [1]))
    merger.add_second(1, make_second(0, [1]))
    late = make_second(0, [700])

    assert merger.add_second(1, late) == late


def test_the_end_is_the_sum_of_all_ends_once_all_have_ended() -> None:
    wrong = FirstWrongAnswer(request="GET /", expected="right", got="wrong")
    summary = K6Summary(**{field.name: 7 for field in fields(K6Summary)})
    one = EndLine(
        requests=7,
        dropped=1,
        interrupted=0,
        checks=LoadChecks(sent=7, answered=7),
        k6_summary=summary,
    )
    other = EndLine(
        requests=5,
        dropped=0,
        interrupted=2,
        checks=LoadChecks(sent=5, answered=4, wrong=1, first_wrong=wrong),
    )

    merger = LineMerger(2)
    assert merger.add_end(1, other) is None
    merged = merger.add_end(0, one)

    assert merged is not None
    assert (merged.requests, merged.dropped, merged.interrupted) == (12, 1, 2)
    assert (merged.checks.sent, merged.checks.answered, merged.checks.wrong) == (12, 11, 1)
    assert merged.checks.first_wrong == wrong
    # Percentiles of parts have no sum.
    assert merged.k6_summary is None
