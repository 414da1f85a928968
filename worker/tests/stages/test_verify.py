"""Verification runs before and after the load, and waits a moment for a service that is silent."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from backend.core.config import ROOT
from backend.core.documents import CallCount
from backend.core.errors import VerificationFailed
from worker.resources.counters import ResourceReading
from worker.runtime.base import Pod, PodSpec
from worker.runtime.process import ProcessRuntime
from worker.stages.context import TrialContext
from worker.stages.start import ReadyService
from worker.stages.verify import count_calls, verify, verify_again
from worker.tests.runtime.bench import CPUS
from worker.tests.stages.contexts import make_assignment, make_context

_LIBRARY = ROOT / "services/scenarios/lib"
_SCRIPT = b"""
import { conformance, count, expect, get } from './lib/conformance.js';
export { options } from './lib/conformance.js';
function check() {
  const { status, body } = get('/');
  expect('GET / answers 200', { expected: 200, got: status });
  expect('GET / answers right', { expected: 'right', got: body });
}
export default conformance(
  () => { check(); count('calls', 10); },
  () => { count('calls', 110 + Number(get('/count').body)); check(); },
);
"""


STEP_KEYS = (
    "TACHO_STEP_KEY",
    *(f"TACHO_{part}_STEP_KEY" for part in ("SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH")),
)


@contextmanager
def answering(*answers: tuple[int, str]) -> Iterator[tuple[str, list[str]]]:
    """Answer requests with these in their order, and with the last one from then on.

    Yield the URL, and the paths that were requested. `/count` answers how many there were.
    """
    left = list(answers)
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path == "/count":
                status, body = 200, str(len(paths))
            else:
                paths.append(self.path)
                status, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET  # noqa: N815  the base's name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", paths
        finally:
            server.shutdown()


@pytest.fixture
def context(process_runtime: ProcessRuntime, monkeypatch: pytest.MonkeyPatch) -> TrialContext:
    monkeypatch.setattr("worker.stages.verify._PAUSE_SECONDS", 0.05)
    return make_context(process_runtime, make_assignment("node", "hello"))


@pytest.fixture
def pod(process_runtime: ProcessRuntime, context: TrialContext) -> Iterator[Pod]:
    run_id, trial_id = str(context.assignment.run_id), str(context.assignment.trial_id)
    # The service of these tests listens on the loopback of this machine.
    spec = PodSpec(run_id, trial_id, CPUS, uses_host_network=True)
    with process_runtime.open_pod(spec) as opened:
        yield opened


def ready(pod: Pod, url: str) -> ReadyService:
    """Return a service at a URL, with the scripts of this test in the pod."""
    library = {f"lib/{path.name}": path.read_bytes() for path in Path(_LIBRARY).glob("*.js")}
    folder = pod.put_files({"verify.js": _SCRIPT, **library})
    environment = {"TACHO_TARGET": url, "TACHO_PARAMETERS": '{"kind": "rate"}', "TACHO_SEED": "1"}
    reading = ResourceReading(memory_bytes=1, memory_peak_bytes=1, source="process_tree")
    return ReadyService(1.0, 1.0, reading, environment, folder)


def test_the_calls_of_the_load_are_the_difference(context: TrialContext, pod: Pod) -> None:
    with answering((200, "right")) as (url, _):
        service = ready(pod, url)
        before = verify(context, pod, service)
        after = verify_again(context, pod, service, has_leftovers=False)

    assert before.failed == after.failed == []
    assert [check["name"] for check in after.checks] == ["GET / answers 200", "GET / answers right"]
    counts = count_calls({**before.calls, "lost": 1}, {**after.calls, "late": 7})
    assert counts == [
        CallCount(name="calls", calls=101),
        CallCount(name="lost", calls=None),
        CallCount(name="late", calls=None),
    ]


def test_a_failed_check_before_the_load_is_not_tried_again(context: TrialContext, pod: Pod) -> None:
    with (
        answering((503, "busy"), (200, "right")) as (url, _),
        pytest.raises(VerificationFailed),
    ):
        verify(context, pod, ready(pod, url))


@pytest.mark.parametrize(
    ("answers", "has_leftovers", "failed", "is_wrong"),
    [
        ([(503, "busy"), (503, "busy"), (200, "right")], False, 0, False),
        ([(503, "busy")], False, 2, False),
        ([(200, "wrong"), (200, "right")], False, 1, True),
        ([(200, "wrong"), (200, "right")], True, 0, False),
        ([(200, "wrong")], True, 1, True),
    ],
)
def test_silence_after_the_load_is_tried_again(
    context: TrialContext,
    pod: Pod,
    answers: list[tuple[int, str]],
    has_leftovers: bool,
    failed: int,
    is_wrong: bool,
) -> None:
    with answering(*answers) as (url, _):
        done = verify_again(context, pod, ready(pod, url), has_leftovers=has_leftovers)

    assert (len(done.failed), done.is_wrong) == (failed, is_wrong)
    # The count is that of the first try.
    assert done.calls == {"calls": 110}


@pytest.mark.parametrize("scenario", ["chain", "hello-gateway", "universities"])
def test_a_service_that_is_still_silent_gets_one_request_a_try(
    context: TrialContext, pod: Pod, scenario: str
) -> None:
    """Further requests would be counted as calls of the load when the count is read later."""
    folder = ROOT / "services/scenarios" / scenario
    files = {path.name: path.read_bytes() for path in folder.glob("*.js")}
    files |= {f"lib/{path.name}": path.read_bytes() for path in _LIBRARY.glob("*.js")}
    files |= {f"data/{path.name}": path.read_bytes() for path in folder.glob("data/*.json")}
    with answering((503, "busy")) as (url, paths):
        plain = ready(pod, url)
        placed = pod.put_files(files)
        service = replace(
            plain,
            folder=placed,
            environment={
                "TACHO_TARGET": url,
                "TACHO_PARAMETERS": '{"kind": "users", "text_characters": 10}',
                "TACHO_DATA": f"{placed}/data",
                "TACHO_SIGNING_KEY": "0" * 64,
                "TACHO_JWT_SECRET": "0" * 64,
                **dict.fromkeys(STEP_KEYS, "0" * 64),
            },
        )
        done = verify_again(context, pod, service, has_leftovers=True)

    assert done.failed
    assert not done.is_wrong
    assert done.calls == {}
    assert len(paths) == 3
