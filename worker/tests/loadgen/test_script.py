"""Stock k6 scripts, which send their requests themselves, on a real service."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.core.units import FailureCause
from worker.loadgen.command import script_command, script_environment
from worker.loadgen.parse import ScriptReport, ScriptThreshold
from worker.loadgen.script import explain_missing_seconds, find_fault, is_good_end
from worker.runtime.exit import Exit
from worker.tests.loadgen.bench import Load

StartScript = Callable[..., Load]

# The group `setup` is one of a scenario. The service takes 0.7 s for /slow.
SHOP = """
import http from 'k6/http';
import exec from 'k6/execution';
import { SharedArray } from 'k6/data';
import { check, group, sleep } from 'k6';
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

const users = new SharedArray('users', () => JSON.parse(open('./users.json')));
const orders = new Counter('orders');
const size = new Gauge('size');
const isSmall = new Rate('is_small');
const wait = new Trend('wait', true);

export const options = {
  scenarios: {
    browse: { executor: 'per-vu-iterations', vus: 3, iterations: 10, exec: 'browse' },
    buy: {
      executor: 'constant-arrival-rate',
      rate: 10,
      duration: '2s',
      startTime: '1s',
      preAllocatedVUs: 4,
      exec: 'buy',
    },
  },
  thresholds: {
    checks: ['rate>0.99'],
    'http_req_duration{scenario:buy}': ['p(95)<60000', 'max<0.0001'],
    wait: ['med>=0'],
  },
};

export function setup() {
  const response = http.post(`${__ENV.BASE_URL}/slow`, JSON.stringify(users[0]));
  check(response, { 'has logged in': ({ status }) => status === 200 });
  return { token: response.body };
}

export function browse({ token }) {
  const { name } = users[exec.vu.idInTest % users.length];
  group('setup', () => {
    const response = http.get(`${__ENV.BASE_URL}/${name}`, { headers: { Authorization: token } });
    check(response, {
      'is right': ({ body }) => body === 'right',
      'is even': () => exec.vu.iterationInScenario % 2 === 0,
    });
    wait.add(response.timings.duration);
    isSmall.add(response.body.length < 10);
  });
  sleep(0.1);
}

export function buy() {
  const url = `${__ENV.BASE_URL}/buy`;
  const [response] = http.batch([['GET', url], ['POST', url, 'two']]);
  orders.add(2);
  size.add(response.body.length);
}

export function teardown() {
  console.log(`teardown ${Date.now()}`);
  http.get(`${__ENV.BASE_URL}/slow`);
  sleep(1.5);
}
"""
ENDLESS = """
import http from 'k6/http';
import { check, sleep } from 'k6';
export const options = { vus: 2, duration: '600s', THRESHOLDS };
export default function () {
  check(http.get(`${__ENV.BASE_URL}/`), { 'is right': ({ body }) => body === 'right' });
  sleep(0.02);
}
export function teardown() {
  console.log('teardown');
}
"""
# Each virtual user sends one request.
ONCE = """
import http from 'k6/http';
import { check } from 'k6';
export const options = { vus: 2, iterations: 2, OPTIONS };
export default function () {
  const response = http.get(`${__ENV.BASE_URL}PATH`, PARAMETERS);
  check(response, { 'has an answer': ({ status }) => status > 0 });
}
"""
BROKEN = """
import http from 'k6/http';
export const options = { vus: 1, iterations: 3 };
export default function () {
  http.get(missing.url);
}
"""


def endless(thresholds: str = "") -> str:
    return ENDLESS.replace("THRESHOLDS", thresholds)


def once(path: str = "/", options: str = "", parameters: str = "{}") -> str:
    script = ONCE.replace("OPTIONS", options).replace("PATH", path)
    return script.replace("PARAMETERS", parameters)


@pytest.fixture
def start_script(k6: Path, service_url: str, tmp_path: Path) -> Iterator[StartScript]:
    """Start a script, which is in a folder with a file of users, against the service."""
    (tmp_path / "users.json").write_text(json.dumps([{"name": "ada"}, {"name": "grace"}]))
    started: list[subprocess.Popen[str]] = []

    def start(script: str, seconds: int = 30, url: str = service_url) -> Load:
        path = tmp_path / "main.js"
        path.write_text(script)
        environment = script_environment(url, seconds, range(seconds))
        load = Load.run(script_command(str(k6), str(path)), environment)
        started.append(load.process)
        return load

    yield start
    for process in started:
        process.kill()
        process.communicate()


def value_of(report: ScriptReport, name: str) -> float:
    (value,) = [metric.value for metric in report.metrics if metric.name == name]
    assert value is not None
    return value


def test_a_stock_script_is_counted_and_its_figures_and_checks_are_reported(
    start_script: StartScript,
) -> None:
    started_ns = time.time_ns()
    result = start_script(SHOP).await_end()

    # The check and the second threshold of http_req_duration fail.
    assert result.exit_code == 99, result.stderr
    report = result.end.script
    assert report is not None
    expected = 3 * 10 + value_of(report, "orders")
    assert value_of(report, "orders") >= 2 * 19
    assert result.end.requests == sum(result.requests) == expected
    assert result.latency.count == expected
    assert result.errors == {}
    assert (result.end.dropped, result.end.interrupted) == (0, 0)
    assert result.end.checks.sent == result.end.checks.answered == expected
    # setup() takes 0.7 s, and teardown() more than 2 s.
    assert result.start.wall_ns > started_ns + 0.7e9
    ended = re.search(r"teardown (\d+)", result.stderr)
    assert ended is not None
    last_second_ns = result.start.wall_ns + (len(result.requests) - 1) * 1e9
    assert last_second_ns <= int(ended[1]) * 1e6 + 1e6

    latency_sum_ns = sum(line.latency_sum_ns for line in result.seconds)
    in_flight_s = sum(line.in_flight for line in result.seconds)
    assert in_flight_s == pytest.approx(latency_sum_ns / 1e9, rel=0.1)
    slowest_ns = max(line.latency_max_ns for line in result.seconds)
    assert 0 < result.latency.percentile(0) <= slowest_ns
    assert slowest_ns < len(result.requests) * 1e9
    assert sum(line.bytes_received for line in result.seconds) > 5 * result.end.requests
    assert sum(line.bytes_sent for line in result.seconds) > 16 * result.end.requests
    # Each virtual user keeps its connections.
    assert (
        3 <= sum(line.connections_opened or 0 for line in result.seconds) < result.end.requests / 2
    )
    assert max(line.vus for line in result.seconds) >= 1

    checks = {check.name: (check.passes, check.fails) for check in report.checks}
    assert checks == {"has logged in": (1, 0), "is right": (30, 0), "is even": (15, 15)}
    assert report.thresholds == [
        ScriptThreshold(metric="checks", threshold="rate>0.99", passed=False),
        *(
            ScriptThreshold(metric="http_req_duration{scenario:buy}", threshold=text, passed=passed)
            for text, passed in (("p(95)<60000", True), ("max<0.0001", False))
        ),
        ScriptThreshold(metric="wait", threshold="med>=0", passed=True),
    ]
    kinds = {metric.name: metric.type for metric in report.metrics}
    assert kinds == {"orders": "counter", "size": "gauge", "is_small": "rate", "wait": "trend"}
    assert (value_of(report, "size"), value_of(report, "is_small")) == (5, 1)
    (wait,) = [metric for metric in report.metrics if metric.type == "trend"]
    assert wait.med is not None
    assert wait.p95 is not None
    assert 0 < wait.med <= wait.p95


@pytest.mark.parametrize(
    ("thresholds", "exit_code"), [("", 0), ("thresholds: { checks: ['rate<0.5'] }", 99)]
)
def test_a_finished_script_ends_early_and_well(
    start_script: StartScript, thresholds: str, exit_code: int
) -> None:
    result = start_script(endless(thresholds=thresholds)).finish_after(2)

    assert result.exit_code == exit_code, result.stderr
    assert "teardown" in result.stderr
    assert min(result.requests[:2]) > 0
    assert sum(result.requests) == result.end.requests == result.latency.count
    assert result.errors == {}
    assert {line.vus for line in result.seconds if line.second == 1} == {2}


def test_a_script_ends_at_its_maximum_length(start_script: StartScript) -> None:
    result = start_script(endless(), seconds=2).await_end()

    assert result.exit_code == 0, result.stderr
    assert len(result.requests) == 2
    assert sum(result.requests) == result.end.requests


def test_iterations_without_a_virtual_user_are_dropped(start_script: StartScript) -> None:
    scenario = "executor: 'constant-arrival-rate', rate: 20, duration: '2s', preAllocatedVUs: 1"
    script = once("/slow").replace(
        "vus: 2, iterations: 2,", f"scenarios: {{ a: {{ {scenario} }} }}"
    )
    result = start_script(script).await_end()

    assert result.end.dropped == sum(line.dropped for line in result.seconds) >= 30
    assert result.end.requests <= 4


@pytest.mark.parametrize(
    ("path", "parameters", "errors"),
    [
        ("/unavailable", "{}", {"status_5xx": 2}),
        ("/unavailable", "{ responseCallback: http.expectedStatuses(503) }", {}),
        ("/slow", "{ timeout: '200ms' }", {"timeout": 2}),
    ],
)
def test_the_script_decides_which_requests_fail(
    start_script: StartScript, path: str, parameters: str, errors: dict[str, int]
) -> None:
    result = start_script(once(path, parameters=parameters)).await_end()

    assert result.end.requests == 2
    assert result.errors == errors
    assert sum(line.failed for line in result.seconds) == sum(errors.values())
    assert result.end.checks.answered == 2 - sum(errors.values())
    if "timeout" in errors:
        assert result.latency.percentile(0) >= 0.19e9


def test_a_script_without_system_tags_is_counted_alike(start_script: StartScript) -> None:
    options = "systemTags: ['method'], thresholds: { checks: ['rate==1'] }"
    setup = "export function setup() { http.get(__ENV.BASE_URL); }"
    result = start_script(once("/unavailable", options) + setup).await_end()

    assert result.exit_code == 0, result.stderr
    assert result.end.requests == 2
    assert result.errors == {"status_5xx": 2}
    assert result.end.script is not None
    assert [check.name for check in result.end.script.checks] == ["has an answer"]


def test_a_script_that_cannot_be_loaded_is_explained(start_script: StartScript) -> None:
    result = start_script("import http from 'k6/http';\n\nconst url = missing.url;\n").await_end()

    assert result.exit_code == 107
    failure = find_fault(Exit.from_code(result.exit_code), result.stderr, "main.js")
    assert failure is not None
    assert failure.cause is FailureCause.USER
    assert failure.detail.startswith(
        "The k6 script main.js ended with exit code 107: the script raised an exception. "
        "Its first errors:\nReferenceError: missing is not defined\n"
    )
    assert "main.js:3:" in failure.detail
    assert "Fix the script." in failure.detail


@pytest.mark.parametrize("code", [108, 110])
def test_an_error_that_ends_the_script_is_shown_with_its_line(code: int) -> None:
    stderr = (
        'time="2026-11-29T10:00:00Z" level=info msg="starting" source=console\n'
        'time="2026-11-29T10:00:01Z" level=error msg="TypeError: \\"x\\" is wrong\\n\\tat '
        'file:///scripts/script/main.js:3:5(2)\\n" hint="script exception"\n'
    )
    failure = find_fault(Exit.from_code(code), stderr, "main.js")

    assert failure is not None
    assert 'TypeError: "x" is wrong\n  at file:///scripts/script/main.js:3:5' in failure.detail


def test_a_module_of_the_internet_has_to_be_saved() -> None:
    refused = "The moduleSpecifier couldn't be retrieved from the resolved url."
    failure = find_fault(Exit.from_code(107), f'level=error msg="{refused}"\n', "main.js")

    assert failure is not None
    assert "Save the module next to the script" in failure.detail


@pytest.mark.parametrize("code", [-9, 105, 0, 99])
def test_a_load_generator_that_was_ended_does_not_blame_the_script(code: int) -> None:
    assert find_fault(Exit.from_code(code), "", "main.js") is None


def test_iterations_that_fail_before_their_first_request_are_explained(
    start_script: StartScript,
) -> None:
    result = start_script(BROKEN).await_end()

    assert result.exit_code == 0
    assert (result.end.requests, result.seconds) == (0, [])
    assert is_good_end(Exit.from_code(result.exit_code))
    parameters = {"warm_up_seconds": 10, "duration_seconds": 20}
    detail = explain_missing_seconds(result.end, 0, parameters, result.stderr, "main.js").detail
    assert detail.startswith("The k6 script main.js sent no HTTP request.")
    # The same error of three iterations is shown once.
    assert detail.count("ReferenceError: missing is not defined") == 1
    assert "main.js:5:" in detail
