"""The output of complete loads on a real service."""

import signal
import time
from collections.abc import Callable
from dataclasses import asdict
from statistics import fmean

import pytest

from backend.core.measurement.measurements.histogram import Histogram
from worker.loadgen.parse import FirstWrongAnswer
from worker.tests.loadgen.bench import (
    DRAWN_LOAD,
    LOAD,
    LOAD_WITH_CONTROLS,
    SLOWLY_DRAWN_LOAD,
    Load,
)

StartLoad = Callable[..., Load]

# A load lasts this much longer than requested, unless it is ended earlier.
RESERVE_SECONDS = 3
RATE = {"kind": "rate", "rate_rps": 100, "duration_seconds": 2}

with_and_without_draws = pytest.mark.parametrize(
    "script", [LOAD, DRAWN_LOAD], ids=["templates", "drawn"]
)


@pytest.mark.acceptance
@with_and_without_draws
def test_a_rate_is_met_in_every_second_and_matches_the_count_of_k6(
    start_load: StartLoad, script: str
) -> None:
    started_ns = time.time_ns()
    result = start_load({**RATE, "warm_up_seconds": 1}, script, TACHO_K6_SUMMARY="1").await_end()

    assert result.exit_code == 0, result.stderr
    assert result.start.seconds == 3 + RESERVE_SECONDS
    assert started_ns < result.start.wall_ns < time.time_ns() - 6e9
    assert result.requests == [pytest.approx(100, abs=1)] * 6
    assert sum(result.requests) == result.end.requests
    own = result.end.k6_summary
    assert own is not None
    assert own.requests == result.end.requests
    assert own.succeeded == result.latency.count
    # k6's durations count from the send.
    service = result.merge("service_time")
    assert service.mean() * service.count / 1e6 == pytest.approx(own.sum_ms, rel=0.004)
    assert service.max / 1e6 == pytest.approx(own.max_ms, rel=0.008)
    assert sum(line.latency_sum_ns for line in result.seconds) / 1e6 > own.sum_ms


@pytest.mark.acceptance
@with_and_without_draws
def test_percentiles_match_those_of_k6_and_littles_law_holds(
    start_load: StartLoad, script: str
) -> None:
    parameters = {"kind": "saturate", "connections": 4, "duration_seconds": 30}
    result = start_load(parameters, script, TACHO_K6_SUMMARY="1").finish_after(2)

    own = result.end.k6_summary
    assert own is not None
    expected = asdict(own)
    names = ["p50", "p90", "p95", "p99", "p999"]
    ours = result.latency.points([0.5, 0.9, 0.95, 0.99, 0.999])
    for name, value in zip(names, ours, strict=True):
        assert value / 1e6 == pytest.approx(expected[f"{name}_ms"], rel=0.005), name
    whole = [line for line in result.seconds if line.second < 2]
    in_flight = sum(line.in_flight for line in whole) / 2
    latency_sum_s = sum(line.latency_sum_ns for line in whole) / 1e9
    assert in_flight == pytest.approx(latency_sum_s / 2, rel=0.05)
    assert in_flight <= 4


def test_a_count_is_sent_exactly_after_the_warm_up(start_load: StartLoad) -> None:
    parameters = {"kind": "count", "connections": 4, "requests": 50}
    spans = {"warm_up_seconds": 1, "duration_seconds": 30}
    result = start_load({**parameters, **spans}, LOAD_WITH_CONTROLS).finish_after(3)

    assert result.exit_code == 0, result.stderr
    counted = [line for line in result.seconds if line.second >= 1]
    latency = Histogram.merge_all(Histogram.from_varints(line.latency) for line in counted)
    assert latency.count == 50
    # Control requests come in addition to those.
    assert sum(result.requests[1:]) > 50
    assert result.requests[0] > 0
    assert result.end.interrupted == 0


def test_an_ended_load_waits_for_all_responses(start_load: StartLoad) -> None:
    parameters = {"kind": "saturate", "connections": 4, "duration_seconds": 60, "path": "/slow"}
    result = start_load(parameters, DRAWN_LOAD, TACHO_K6_SUMMARY="1").finish_after(1)

    assert result.exit_code == 0, result.stderr
    assert len(result.requests) < 60
    assert result.errors == {}
    assert result.end.interrupted == 0
    # Requests sent just before the end were answered after 0.7 s.
    assert sum(result.requests) == result.end.requests == result.latency.count > 0
    assert result.end.checks.sent == result.end.checks.answered == result.end.requests
    assert result.end.k6_summary is not None
    assert result.end.k6_summary.requests == result.end.requests
    assert sum(line.connections_opened or 0 for line in result.seconds) == 4


def test_nothing_is_sent_in_the_pause_between_two_steps(start_load: StartLoad) -> None:
    parameters = {"kind": "steps", "first_rps": 60, "step_rps": 40, "steps": 2, "step_seconds": 1}
    paused = {"warm_up_seconds": 1, "drain_seconds": 1}
    result = start_load(parameters | paused, DRAWN_LOAD).finish_after(4)

    expected = [60, 60, 0, 100]
    assert result.start.seconds == 1 + 2 * 1 + 1 + RESERVE_SECONDS
    assert result.requests[:4] == [pytest.approx(count, abs=1) for count in expected]


def test_every_wrong_answer_is_counted_and_the_first_is_shown(start_load: StartLoad) -> None:
    script = LOAD.replace("text: 'right'", "text: 'left'")
    result = start_load({**RATE, "rate_rps": 150}, script).finish_after(1)

    checks = result.end.checks
    assert result.errors == {"check": result.end.requests}
    assert checks.wrong == checks.sent == checks.answered == result.end.requests
    assert sum(line.failed for line in result.seconds) == 0
    assert checks.first_wrong == FirstWrongAnswer(request="GET /", expected="left", got="right")
    assert "wrong response to GET /: expected left, got right" in result.stderr
    # This script draws nothing.
    assert {line.script_share for line in result.seconds} == {None}


def test_a_comparison_of_the_script_finds_wrong_answers(start_load: StartLoad) -> None:
    compare = "compare: () => ({ expected: 'another', got: 'this' }), sampleShare: 0.5,"
    script = LOAD.replace("text: 'right'", "bytes: [5, 5]").replace(
        "defineLoad({", f"defineLoad({{ {compare}"
    )
    result = start_load({**RATE, "rate_rps": 300}, script).finish_after(1)

    checks = result.end.checks
    assert 0.3 * checks.answered < checks.compared < 0.7 * checks.answered
    assert checks.wrong == checks.compared == result.errors["check"]
    assert checks.first_wrong == FirstWrongAnswer(request="GET /", expected="another", got="this")


def test_refused_control_requests_succeed_and_have_no_latency(start_load: StartLoad) -> None:
    """All requests are control requests here, and all are refused."""
    script = DRAWN_LOAD.replace(" path:", " isControl: true, path:")
    refused = script.replace("text: 'right'", "status: 503")
    result = start_load(
        {**RATE, "path": "/unavailable"}, refused, TACHO_K6_SUMMARY="1"
    ).finish_after(1)

    checks, own = result.end.checks, result.end.k6_summary
    assert result.errors == {}
    assert result.latency.count == 0
    assert (checks.controls, checks.controls_wrong, checks.sent) == (result.end.requests, 0, 0)
    assert own is not None
    assert (own.requests, own.succeeded) == (result.end.requests, 0)


@pytest.mark.acceptance
def test_latency_includes_the_wait_for_a_service_that_stalls(start_load: StartLoad) -> None:
    """The service answers nothing for half of a second. 100 requests are due in each second."""
    script = DRAWN_LOAD.replace("defineLoad({", "defineLoad({ expectedMs: 600,")
    parameters = {**RATE, "path": "/stall", "duration_seconds": 3}
    result = start_load(parameters, script).finish_after(3)

    # 50 requests were due in the stall, of which 40 waited for more than 100 ms. A busy machine
    # makes others slow too.
    slow = result.latency.count - result.latency.count_below(1e8)
    assert slow >= 34
    assert result.merge("service_time").count == result.latency.count == result.end.requests


@pytest.mark.acceptance
def test_poisson_arrivals_differ_between_seconds(start_load: StartLoad) -> None:
    result = start_load({**RATE, "rate_rps": 400, "arrivals": 1}, LOAD).finish_after(2)

    assert sum(result.requests[:2]) == pytest.approx(800, abs=6 * 28)
    assert result.requests[:2] != [400, 400]
    assert result.merge("lateness").count == result.end.requests


def test_an_interrupt_ends_the_load_with_its_results_so_far(start_load: StartLoad) -> None:
    parameters = {"kind": "users", "users": 2, "pause_ms": 50, "duration_seconds": 60}
    load = start_load(parameters, DRAWN_LOAD)
    assert load.process.stdout is not None
    head = [load.process.stdout.readline() for _ in range(2)]
    load.process.send_signal(signal.SIGINT)
    result = load.await_end()

    assert result.exit_code == 105
    assert '"second":0' in head[1]
    assert len(result.seconds) < 60
    assert result.end.interrupted <= 2


DRAWING = """
import { defineLoad } from './lib/load.js';
let drawn = 0;
export const { options, run } = defineLoad({
  requests: [
    {
      method: 'POST',
      path: '/{word}?{nonce:4}',
      body: '{"word":{word}}',
      expect: { text: '{answer}' },
      draw: () => {
        drawn += 1;
        return DRAWN;
      },
    },
    { share: 0.2, isControl: true, path: '/', expect: { status: 503 }, draw: () => null },
  ],
  sampleShare: 1,
  compare: ({ request: { nonce, values }, response: { body, sentMs, endMs } }) =>
    values.word > 0 && values.word <= drawn && nonce.length === 16 && body === 'right' &&
    sentMs >= 0 && endMs > sentMs && endMs < 10000
      ? null
      : { expected: 'a drawn request', got: JSON.stringify([values, nonce, body, sentMs, endMs]) },
});
export default run;
"""


@pytest.mark.parametrize("kind", ["rate", "saturate"])
def test_a_script_draws_requests_and_compares_every_response(
    start_load: StartLoad, kind: str
) -> None:
    script = DRAWING.replace("DRAWN", "{ word: drawn, answer: 'right' }")
    parameters = {**RATE, "kind": kind, "connections": 8}
    result = start_load(parameters, script).finish_after(1)

    checks = result.end.checks
    assert checks.first_wrong is None, result.stderr
    assert checks.compared == checks.answered == checks.sent == result.end.requests > 50
    # The script refuses to draw any.
    assert checks.controls == 0


@pytest.mark.parametrize(
    ("kind", "changes", "is_limit"),
    [
        ("saturate", {"connections": 4}, True),
        ("users", {"users": 2, "pause_ms": 400}, False),
    ],
)
def test_the_time_in_which_the_script_works_is_reported(
    start_load: StartLoad, kind: str, changes: dict[str, object], *, is_limit: bool
) -> None:
    parameters = {**RATE, "kind": kind, **changes, "duration_seconds": 30}
    result = start_load(parameters, SLOWLY_DRAWN_LOAD).finish_after(3)

    shares = [line.script_share for line in result.seconds if line.script_share is not None]
    # Each second has one share, and late lines have none.
    assert len(shares) == len(result.requests)
    assert (fmean(shares[1:3]) > 0.95) == is_limit
    assert (fmean(shares[1:3]) < 0.6) != is_limit
    assert max(result.requests[1:3]) <= 200 / 2


def test_the_expected_text_may_be_drawn(start_load: StartLoad) -> None:
    script = DRAWING.replace("DRAWN", "{ word: drawn, answer: `left ${drawn}` }")
    result = start_load(RATE, script).finish_after(1)

    checks = result.end.checks
    assert checks.wrong == checks.sent == result.end.requests
    assert checks.first_wrong is not None
    assert checks.first_wrong.expected.startswith("left ")
    assert checks.first_wrong.request.startswith("POST /")


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("{ word: 1 }", "returned no answer"),
        ("drawn.nothing.more", "TypeError"),
        ("null", "returned null 1000 times in a row"),
    ],
)
def test_a_script_that_cannot_draw_ends_the_load(
    start_load: StartLoad, drawn: str, message: str
) -> None:
    result = start_load(RATE, DRAWING.replace("DRAWN", drawn)).await_end()

    assert message in result.stderr
    assert result.end.requests == 0


def test_a_load_without_the_library_is_refused(start_load: StartLoad) -> None:
    script = """
    import http from 'k6/http';
    import { loadOptions, target } from './lib/profiles.js';
    export const options = loadOptions({});
    export default function () {
      http.get(target + '/');
    }
    """
    result = start_load({**RATE, "duration_seconds": 30}, script).await_end()

    assert result.end.requests == 0
    assert "build the load with lib/load.js" in result.stderr
