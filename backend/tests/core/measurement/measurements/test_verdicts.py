"""Each warning appears just beyond its limit, and not just within it."""

from typing import Any

import pytest

from backend.core.measurement.measurements.steadiness import Steadiness
from backend.core.measurement.measurements.verdicts import (
    Conditions,
    ResultWarning,
    find_exclusions,
    judge_cell,
    judge_trial,
)
from backend.core.second import Second
from backend.core.units import BEFORE_LOAD, Metric, ProfileKind, Verdict
from backend.tests.measuring import histogram_of, second

_LATENCY = histogram_of([5.0] * 9).to_varints()
_STEPS = {
    "first_rps": 100,
    "step_rps": 100,
    "steps": 2,
    "step_seconds": 10,
    "success_percent": 90,
    "warm_up_seconds": 30,
}


def under(kind: ProfileKind = ProfileKind.USERS, **changes: Any) -> Conditions:
    fields: dict[str, Any] = {
        "kind": kind,
        "parameters": {"rate_rps": 100} if kind is ProfileKind.RATE else {},
        "service_cpus": 1,
        "load_cpus": 1,
        "backing_cpus": 1,
        "trial_cpus": 2,
        "has_backing_services": False,
        "mean_latency_ms": None,
        "warm_up": Steadiness(True, "The load was steady for 10 s."),
    }
    return Conditions(**fields | changes)


def seconds(count: int = 10, **changes: Any) -> list[Second]:
    """Return equal seconds of 100 requests each."""
    fields = {"requests": 100, "latency": _LATENCY, **changes}
    return [second(number, **fields) for number in range(count)]


RATE, USERS, SATURATE = under(ProfileKind.RATE), under(), under(ProfileKind.SATURATE)
PROVOKED: list[tuple[str, Verdict, list[Second], Conditions, str]] = [
    (
        "rate missed",
        Verdict.RATE_MISSED,
        seconds(requests=97, cpu_load_seconds=0.25),
        RATE,
        "Rate missed: 970 of 1,000 requests were sent, 0 dropped. The load generator used only 25% "
        "of its CPU, so the service or the host was too slow.",
    ),
    (
        "rate missed by a generator without CPU",
        Verdict.GENERATOR_SATURATED,
        seconds(requests=97, cpu_load_seconds=0.95),
        RATE,
        "The load generator used 95% of its CPU, so it was the limit. Rate missed: 970 of 1,000 "
        "requests were sent, 0 dropped.",
    ),
    (
        "iterations dropped",
        Verdict.RATE_MISSED,
        [*seconds(9), second(9, requests=100, dropped=1)],
        RATE,
        "1 dropped",
    ),
    (
        "requests sent late",
        Verdict.HOST_DISTURBED,
        seconds(),
        under(ProfileKind.RATE, late_p99_ms=12.3),
        "1 % of the requests were sent at least 12 ms late. The load generator used only 10% of "
        "its CPU.",
    ),
    (
        "generator's CPU used up",
        Verdict.GENERATOR_SATURATED,
        seconds(cpu_load_seconds=0.9),
        USERS,
        "The load generator used 90% of its CPU",
    ),
    (
        "a script without a pause",
        Verdict.GENERATOR_SATURATED,
        seconds(cpu_load_seconds=0.5),
        under(ProfileKind.SATURATE, load_cpus=8, script_shares=[0.9] * 10),
        "The scenario's script worked 90% of the time, so it was the limit, and not the service. "
        "The service may be able to do more. The script uses one CPU only: lower the load, or send "
        "it from more load hosts.",
    ),
    (
        "a rate that is late because of the script",
        Verdict.GENERATOR_SATURATED,
        seconds(cpu_load_seconds=0.5),
        under(ProfileKind.RATE, late_p99_ms=250.0, script_shares=[0.97] * 10),
        "so it was the limit, and not the service. 1 % of the requests were sent at least 250 ms "
        "late. The script",
    ),
    (
        "a script without a pause in the last step",
        Verdict.GENERATOR_SATURATED,
        seconds(20),
        under(ProfileKind.STEPS, parameters=_STEPS, script_shares=[0.5] * 10 + [0.95] * 10),
        "The scenario's script worked 95% of the time",
    ),
    (
        "generator's CPU used up in the last step",
        Verdict.GENERATOR_SATURATED,
        [*seconds(10, cpu_load_seconds=0.2), *seconds(10, cpu_load_seconds=0.95)],
        under(ProfileKind.STEPS, parameters=_STEPS),
        "The load generator used 95% of its CPU",
    ),
    (
        "errors",
        Verdict.TOO_MANY_ERRORS,
        seconds(failed=2, errors={"timeout": 1, "status_5xx": 1}),
        USERS,
        "20 of 1,000 requests failed (10 × status_5xx, 10 × timeout).",
    ),
    (
        "a wrong number of requests in flight",
        Verdict.LITTLES_LAW_VIOLATED,
        seconds(in_flight=1.2),
        under(mean_latency_ms=10.0),
        "1.2 requests were in flight on average, but rate × mean latency is 1:",
    ),
    (
        "requests in flight that no latency explains, on many connections",
        Verdict.LITTLES_LAW_VIOLATED,
        [second(number, [10.0] * 100, in_flight=1.3, vus=50) for number in range(10)],
        under(mean_latency_ms=10.0),
        "1.3 requests were in flight on average, but rate × mean latency is 1:",
    ),
    (
        "latencies that no request in flight explains, on many connections",
        Verdict.LITTLES_LAW_VIOLATED,
        [second(number, [10.0] * 100, in_flight=0.7, vus=50) for number in range(10)],
        under(mean_latency_ms=10.0),
        "0.7 requests were in flight on average, but rate × mean latency is 1:",
    ),
    (
        "slower from a second on",
        Verdict.NEVER_STEADY,
        [
            second(number, [5.0 + 0.2 * (number % 2) + (2 if number >= 6 else 0)] * 9)
            for number in range(12)
        ],
        USERS,
        "The median latency changed by +39% at second 6 of the measured window",
    ),
    (
        "faster and faster",
        Verdict.NEVER_STEADY,
        [second(number, [5.0] * (100 + 3 * number)) for number in range(10)],
        SATURATE,
        "The throughput changed by +27% within the measured window.",
    ),
    (
        "throttled",
        Verdict.THROTTLED,
        seconds(throttled_seconds=0.02),
        USERS,
        "A CPU quota throttled the service for 20 ms of each second.",
    ),
    (
        "slowed by heat",
        Verdict.HOST_DISTURBED,
        [*seconds(9, thermal_throttles=0), second(9, requests=100, thermal_throttles=3)],
        USERS,
        "The service's CPUs were throttled by heat 3 times.",
    ),
    (
        "another frequency",
        Verdict.HOST_DISTURBED,
        [second(number, [5.0] * 100, cpu_mhz=3400.0 - 400 * (number >= 4)) for number in range(10)],
        RATE,
        "The frequency of the service's CPUs changed by -12% at second 4",
    ),
    (
        "others on the host",
        Verdict.HOST_BUSY,
        seconds(cpu_other_seconds=0.24),
        USERS,
        "Other programs used 12% of the trial's CPUs.",
    ),
    (
        "a hypervisor",
        Verdict.HOST_BUSY,
        seconds(cpu_other_seconds=0.08, cpu_steal_seconds=0.16),
        USERS,
        "Other programs used 4% of the trial's CPUs; the hypervisor took 8%.",
    ),
    (
        "idle under full load",
        Verdict.SERVER_IDLE,
        seconds(cpu_service_seconds=0.4),
        SATURATE,
        "The service used only 40% of its CPU under full load. Something",
    ),
    (
        "users who never pause",
        Verdict.SERVER_IDLE,
        seconds(cpu_service_seconds=0.4),
        under(parameters={"pause_ms": 0}),
        "The service used only 40% of its CPU under full load",
    ),
    (
        "idle on many CPUs",
        Verdict.SERVER_IDLE,
        seconds(cpu_service_seconds=0.8),
        under(ProfileKind.SATURATE, service_cpus=4),
        "The service used only 20% of its CPU under full load",
    ),
    (
        "idle, but not for its upstream",
        Verdict.SERVER_IDLE,
        seconds(cpu_service_seconds=0.1, cpu_backing_seconds=0.2),
        under(
            ProfileKind.SATURATE,
            has_backing_services=True,
            parameters={"delay_ms": 100},
            mean_latency_ms=900.0,
        ),
        "of its CPU under full load, although it was not waiting for its upstream. Something",
    ),
    (
        "CPU times that could not be read",
        Verdict.PARTLY_CHECKED,
        seconds(
            cpu_service_seconds=None,
            cpu_load_seconds=None,
            cpu_other_seconds=None,
            cpu_steal_seconds=None,
            throttled_seconds=None,
        ),
        SATURATE,
        "at its limit, whether the service was idle or whether other programs used the CPUs.",
    ),
]
NOT_PROVOKED: list[tuple[str, list[Second], Conditions]] = [
    ("rate kept within 2 %", seconds(requests=98), RATE),
    ("requests sent just in time", seconds(), under(ProfileKind.RATE, late_p99_ms=10.0)),
    (
        "steps until requests fail or are dropped",
        [second(n, [2.0 + n] * 100, failed=10 * n, dropped=10 * n) for n in range(10)],
        under(ProfileKind.STEPS, parameters=_STEPS),
    ),
    ("users are no promise of a rate", seconds(requests=1), USERS),
    ("generator below 90 %", seconds(cpu_load_seconds=0.89), USERS),
    ("a script below 90 %", seconds(), under(script_shares=[0.89] * 10)),
    ("a script busy in single seconds", seconds(), under(script_shares=[1.0] * 3 + [0.8] * 7)),
    ("two CPUs for the generator", seconds(cpu_load_seconds=1.5), under(load_cpus=2)),
    ("wrong responses have a verdict of their own", seconds(errors={"check": 1}), USERS),
    ("1 % of errors", seconds(failed=1, errors={"timeout": 1}), USERS),
    ("1 % throttled", seconds(throttled_seconds=0.01), USERS),
    ("5 % of the host", seconds(cpu_other_seconds=0.1), USERS),
    ("Little's law within 10 %", seconds(in_flight=1.09), under(mean_latency_ms=10.0)),
    (
        "control requests, which have no latency and are not in flight",
        seconds(in_flight=0.8),
        under(mean_latency_ms=10.0, timed_requests=800),
    ),
    (
        "a stall over the window's end",
        [
            *(second(number, [10.0] * 100, in_flight=1.0) for number in range(11)),
            second(11, [10.0] * 50 + [900.0] * 20, in_flight=10.0, vus=20),
        ],
        under(mean_latency_ms=24.3),
    ),
    (
        "a short stall over the window's end, in which requests are sent at a rate",
        [
            *(second(number, [1.0] * 100, vus=20) for number in range(9)),
            # The last ten are sent every 10 ms, and end 100 ms after the window.
            second(9, [1.0] * 90 + [10.0 * left for left in range(11, 21)], in_flight=0.64, vus=20),
        ],
        under(ProfileKind.RATE, mean_latency_ms=2.54),
    ),
    (
        "a short stall over the window's begin, in which requests are sent at a rate",
        [
            # Ten requests of the second before it end after 100 ms, too.
            second(0, [1.0] * 90 + [10.0 * left for left in range(1, 11)], in_flight=1.64, vus=20),
            *(second(number, [1.0] * 100, vus=20) for number in range(1, 10)),
        ],
        under(ProfileKind.RATE, mean_latency_ms=1.54),
    ),
    ("latencies too long for Little's law", seconds(in_flight=9), under(mean_latency_ms=1000.0)),
    ("half its CPU", seconds(cpu_service_seconds=0.5), SATURATE),
    ("idle but not saturated", seconds(cpu_service_seconds=0.01), USERS),
    (
        "waits for its upstream's delay",
        seconds(cpu_service_seconds=0.01, in_flight=11),
        under(
            ProfileKind.SATURATE,
            has_backing_services=True,
            parameters={"delay_ms": 100},
            mean_latency_ms=110.0,
        ),
    ),
    (
        "waits for its own delay",
        seconds(cpu_service_seconds=0.01, in_flight=11),
        under(parameters={"pause_ms": 0, "delay_ms": 100}, mean_latency_ms=110.0),
    ),
    (
        "waits for an upstream without a free CPU",
        seconds(cpu_service_seconds=0.3, cpu_backing_seconds=0.6, in_flight=0.9),
        under(ProfileKind.SATURATE, has_backing_services=True, mean_latency_ms=9.0),
    ),
    (
        "one thread at its limit",
        seconds(cpu_service_seconds=0.97),
        under(ProfileKind.SATURATE, service_cpus=4),
    ),
    ("users who pause", seconds(cpu_service_seconds=0.1), under(parameters={"pause_ms": 10})),
    (
        "a frequency that trembles",
        [second(number, [5.0] * 100, cpu_mhz=3400.0 - 100 * (number % 3)) for number in range(10)],
        RATE,
    ),
    ("a CPU that was never hot", seconds(thermal_throttles=0, cpu_mhz=3400.0), RATE),
]


@pytest.mark.parametrize(
    ("verdict", "rows", "conditions", "told"),
    [case[1:] for case in PROVOKED],
    ids=[case[0] for case in PROVOKED],
)
def test_a_warning_shows_its_figures(
    verdict: Verdict, rows: list[Second], conditions: Conditions, told: str
) -> None:
    warnings = judge_trial(rows, conditions)

    assert [warning.verdict for warning in warnings] == [verdict]
    assert told in warnings[0].detail


@pytest.mark.parametrize(
    ("rows", "conditions"),
    [case[1:] for case in NOT_PROVOKED],
    ids=[case[0] for case in NOT_PROVOKED],
)
def test_a_sound_trial_has_no_warning(rows: list[Second], conditions: Conditions) -> None:
    assert judge_trial(rows, conditions) == []


def test_silence_shows_errors_and_no_steady_state() -> None:
    warnings = judge_trial(seconds(requests=0, latency=b""), USERS)

    assert {warning.verdict: warning.detail for warning in warnings} == {
        Verdict.TOO_MANY_ERRORS: "No request got a response.",
        Verdict.STEADINESS_NOT_TESTED: "Only 0 of 10 s had a good answer.",
    }


_OF_LOAD = [Verdict.SERVER_IDLE, Verdict.TOO_MANY_ERRORS, Verdict.NEVER_STEADY, Verdict.THROTTLED]


@pytest.mark.parametrize(
    ("metric", "found", "excluding"),
    [
        (Metric.THROUGHPUT_RPS, [*_OF_LOAD, Verdict.HOST_BUSY], _OF_LOAD),
        # Helidon's load may be idle: its boot was measured all the same.
        *((metric, _OF_LOAD, []) for metric in sorted(BEFORE_LOAD)),
        (Metric.COLD_THROUGHPUT_RPS, _OF_LOAD, [*_OF_LOAD[:2], Verdict.THROTTLED]),
        # Requests are counted in any state of the service.
        (Metric.SUCCESS_RATIO, _OF_LOAD[:3], []),
        (Metric.SUCCESS_RATIO, [Verdict.RATE_MISSED], [Verdict.RATE_MISSED]),
        # The size of a message depends on the answers only.
        (
            Metric.RESPONSE_BYTES,
            [Verdict.RATE_MISSED, Verdict.NEVER_STEADY, Verdict.TOO_MANY_ERRORS],
            [Verdict.TOO_MANY_ERRORS],
        ),
    ],
)
def test_a_verdict_excludes_the_metrics_that_it_is_about(
    metric: Metric, found: list[Verdict], excluding: list[Verdict]
) -> None:
    assert find_exclusions(found, metric) == excluding


@pytest.mark.parametrize("metric", list(Metric))
def test_a_service_that_does_not_do_the_work_has_no_usable_value(metric: Metric) -> None:
    found = [Verdict.WORK_NOT_DONE, Verdict.WRONG_ANSWERS, Verdict.ENVIRONMENT_CHANGED]

    assert find_exclusions(found, metric) == found


def test_a_trial_can_have_several_warnings() -> None:
    rows = seconds(failed=50, throttled_seconds=0.5, cpu_other_seconds=1.0)

    verdicts = [warning.verdict for warning in judge_trial(rows, USERS)]

    assert verdicts == [Verdict.TOO_MANY_ERRORS, Verdict.THROTTLED, Verdict.HOST_BUSY]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"cpu_load_seconds": 0.95, "cpu_service_seconds": 0.2}, Verdict.GENERATOR_SATURATED),
        ({"throttled_seconds": 0.7, "cpu_service_seconds": 0.2}, Verdict.THROTTLED),
        # CPU time of other programs counts as unavailable.
        ({"cpu_other_seconds": 1.0, "cpu_service_seconds": 0.3}, Verdict.HOST_BUSY),
    ],
)
def test_an_idle_service_can_be_explained(changes: dict[str, Any], verdict: Verdict) -> None:
    warnings = judge_trial(seconds(**changes), SATURATE)

    assert [warning.verdict for warning in warnings] == [verdict]


def test_late_requests_miss_the_rate_if_the_cpu_of_the_generator_is_unknown() -> None:
    rows = seconds(cpu_load_seconds=None)

    missed, unchecked = judge_trial(rows, under(ProfileKind.RATE, late_p99_ms=12.3))

    assert missed.verdict is Verdict.RATE_MISSED
    assert unchecked.verdict is Verdict.PARTLY_CHECKED

    missed, _ = judge_trial(seconds(requests=50, cpu_load_seconds=None), RATE)
    assert missed.detail == "Rate missed: 500 of 1,000 requests were sent, 0 dropped."


def test_a_check_that_was_not_made_is_not_a_check_that_passed() -> None:
    some = [*seconds(5), *seconds(5, cpu_load_seconds=None)]
    assert judge_trial(some, USERS) == []

    most = [*seconds(4), *seconds(6, cpu_load_seconds=None, cpu_other_seconds=None)]
    (warning,) = judge_trial(most, USERS)
    assert warning == ResultWarning(
        Verdict.PARTLY_CHECKED,
        "CPU times are missing, so Tacho could not check whether the load generator was at its "
        "limit or whether other programs used the CPUs.",
    )


def test_a_cell_needs_five_trials() -> None:
    assert judge_cell(5) == []
    (warning,) = judge_cell(4)
    assert warning.verdict is Verdict.TOO_FEW_TRIALS
    assert warning.detail.startswith("Only 4 of the 5")


@pytest.mark.parametrize(("requests", "is_missed"), [(86, False), (85, True)])
def test_the_number_of_poisson_arrivals_may_differ_by_chance(
    requests: int, is_missed: bool
) -> None:
    """Of 1,000 requests, 980 are enough; four standard deviations are 126.5."""
    random = under(ProfileKind.RATE, parameters={"rate_rps": 100, "arrivals": 1})
    warnings = judge_trial(seconds(requests=requests), random)

    assert (Verdict.RATE_MISSED in {warning.verdict for warning in warnings}) == is_missed
