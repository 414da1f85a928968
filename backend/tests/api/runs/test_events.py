"""GET /runs/{id}/events over real HTTP: past events, then new events, until the run ends."""

import json
import re
import socket
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx2
import pytest
from fastapi.testclient import TestClient

from backend.api.runs.schemas import RunEvent, RunEvents
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import Failure
from backend.core.queue import get_redis
from backend.core.runs.live import event_stream
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import ClosedEvent, EndEvent, GapEvent, LiveEvent
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import FailureCause
from backend.main import create_app
from backend.platform.logs.monitoring import REGISTRY
from backend.tests.answers import faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import HOST, ask_run, claim_next, succeed_next
from backend.tests.live_events import log_event, sample_event, trial_event
from backend.tests.serving import serve
from backend.tests.waiting import LIMIT_S, wait_for

SUCCEEDED = EndEvent(status=RunStatus.SUCCEEDED)


@dataclass(frozen=True)
class StreamedEvent:
    """An event as the EventSource of a browser returns it."""

    name: str
    id: str | None
    data: dict[str, Any]


def stream(
    url: str, run_id: UUID, after: str | None = None, sender: Mapping[str, str] | None = None
) -> Generator[StreamedEvent]:
    """Yield the events of a run until the server ends the stream.

    Args:
        sender: headers that identify the sender.
    """
    headers = {**(sender or {}), **({} if after is None else {"Last-Event-ID": after})}
    path = f"{url}{RUNS}/{run_id}/events"
    with httpx2.stream("GET", path, headers=headers, timeout=LIMIT_S, trust_env=False) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            key, _, value = line.partition(": ")
            if key:
                fields[key] = value
            elif "data" in fields:
                yield StreamedEvent(fields["event"], fields.get("id"), json.loads(fields["data"]))
                fields = {}


def relayed(url: str, run_id: UUID, after: str | None = None) -> list[StreamedEvent]:
    """Return the events that were published for a run, without its state."""
    return [event for event in stream(url, run_id, after) if event.name != "run"]


@pytest.fixture
def run_id(host_id: UUID) -> UUID:
    with unit_of_work() as session:
        return ask_run(session).id


def test_past_events_are_streamed_in_order_and_then_the_stream_ends(
    live_url: str, run_id: UUID
) -> None:
    publish(RunStream(HOST, run_id), trial_event(TrialStatus.MEASURING))
    publish(RunStream(HOST, run_id), *map(sample_event, range(700)))
    publish(RunStream(HOST, run_id), SUCCEEDED)

    first, *rest = stream(live_url, run_id)

    assert (first.name, first.id, first.data["status"]) == ("run", None, "queued")
    assert first.data["progress"]["trials_total"] == 1
    assert [event.name for event in rest] == ["trial", *["sample"] * 700, "end"]
    assert [event.data["second"] for event in rest[1:-1]] == list(range(700))
    identifiers = [tuple(map(int, str(event.id).split("-"))) for event in rest]
    assert identifiers == sorted(identifiers)
    # A broken connection resumes after the last event.
    assert relayed(live_url, run_id, rest[2].id) == rest[3:]


def test_each_kind_of_event_reaches_the_client_unchanged(live_url: str, run_id: UUID) -> None:
    failure = Failure(
        code="load_failed",
        title="The load generator failed",
        detail="It ended with exit code 1.",
        cause=FailureCause.LOAD_GENERATOR,
        stage="measuring",
        evidence=[{"name": "a check", "passed": False, "expected": "1", "got": "2"}],
    )
    published: list[LiveEvent] = [
        trial_event(TrialStatus.MEASURING),
        trial_event(TrialStatus.FAILED).model_copy(update={"failure": failure}),
        sample_event(3),
        log_event("Step 1: ✓"),
        GapEvent(dropped=7),
        SUCCEEDED,
    ]
    publish(RunStream(HOST, run_id), *published)

    run, *rest = stream(live_url, run_id)

    kinds: dict[str, type[LiveEvent]] = {event.kind: type(event) for event in published}
    kinds[RunEvent.kind] = RunEvent
    kinds[ClosedEvent.kind] = ClosedEvent
    assert {name: field.annotation for name, field in RunEvents.model_fields.items()} == kinds
    assert RunEvent.model_validate(run.data).status == RunStatus.QUEUED
    assert [kinds[event.name].model_validate(event.data) for event in rest] == published


def test_new_events_are_streamed_as_they_are_published_and_their_lag_is_measured(
    live_url: str, run_id: UUID
) -> None:
    def count() -> float:
        return REGISTRY.get_sample_value("tacho_event_lag_seconds_count") or 0

    before = count()
    events = stream(live_url, run_id)
    assert next(events).name == "run"

    for second in range(3):
        publish(RunStream(HOST, run_id), sample_event(second))
        event = next(event for event in events if event.name != "run")
        assert (event.name, event.data["second"]) == ("sample", second)
    publish(RunStream(HOST, run_id), SUCCEEDED)

    assert [event.name for event in events if event.name != "run"] == ["end"]
    # The first event may be part of the history, which has no lag.
    assert count() - before in {3, 4}
    assert REGISTRY.get_sample_value("tacho_event_lag_seconds_sum") is not None


def test_a_finished_run_whose_events_are_gone_streams_its_state(
    live_url: str, host_id: UUID, run_id: UUID
) -> None:
    with unit_of_work() as session:
        succeed_next(session, host_id)
    get_redis().flushdb()

    events = list(stream(live_url, run_id))

    assert events[0].data["status"] == "succeeded"
    assert events[0].data["progress"]["share"] == 1
    assert events[-1] == StreamedEvent("end", None, {"status": "succeeded"})


def test_cancelling_ends_the_stream(live_url: str, run_id: UUID) -> None:
    events = stream(live_url, run_id)
    assert next(events).data["status"] == "queued"

    httpx2.post(f"{live_url}{RUNS}/{run_id}/cancel", trust_env=False).raise_for_status()

    assert [event for event in events if event.name != "run"][-1].data == {"status": "cancelled"}


def test_progress_follows_the_trials_once_a_second(
    live_url: str, host_id: UUID, run_id: UUID
) -> None:
    events = stream(live_url, run_id)
    assert next(events).data["status"] == "queued"
    with unit_of_work() as session:
        claim_next(session, host_id)
    deadline = monotonic() + LIMIT_S
    statuses = []
    while "running" not in statuses and monotonic() < deadline:
        publish(RunStream(HOST, run_id), trial_event(TrialStatus.BUILDING))
        event = next(events)
        if event.name == "run":
            statuses.append(event.data["status"])
        sleep(0.05)
    publish(RunStream(HOST, run_id), EndEvent(status=RunStatus.FAILED))

    assert statuses[-1] == "running"
    assert list(events)[-1].name == "end"


def test_an_invalid_request_is_refused_before_the_stream_begins(
    client: TestClient, run_id: UUID
) -> None:
    problem(client.get(f"{RUNS}/nothing/events"), 404, "not_found")
    for after in ("x", "1-2-3", "", "-1", "9" * 30, "$"):
        answer = client.get(f"{RUNS}/{run_id}/events", headers={"Last-Event-ID": after})
        assert list(faults(answer)) == ["last-event-id"]


def test_a_client_that_disconnects_leaves_no_connection_open(
    live_url: str, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise, the server notices a disconnected client after this pause anyway.
    monkeypatch.setattr(event_stream, "_BLOCK_MS", 1000 * int(LIMIT_S))
    monkeypatch.setattr(event_stream, "_SOCKET_TIMEOUT_SECONDS", 2 * LIMIT_S)
    before = len(get_redis().client_list())
    for _ in range(3):
        events = stream(live_url, run_id)
        next(events)
        events.close()

    wait_for(lambda: len(get_redis().client_list()) <= before, LIMIT_S / 2)


def blocked_readers() -> list[str]:
    """Return the ids of the connections that wait for events in Redis."""
    clients = get_redis().client_list()
    return [client["id"] for client in clients if client["cmd"].lower() == "xread"]


def test_clients_of_one_run_share_one_reader(live_url: str, run_id: UUID) -> None:
    before = set(blocked_readers())
    streams = [stream(live_url, run_id) for _ in range(12)]
    for events in streams:
        assert [next(events).name, next(events).name] == ["run", "run"]

    publish(RunStream(HOST, run_id), sample_event(0))
    arrived = [next(event for event in events if event.name != "run") for events in streams]
    readers = set(blocked_readers()) - before
    publish(RunStream(HOST, run_id), SUCCEEDED)

    assert arrived == [arrived[0]] * 12
    assert len(readers) <= 1
    assert [[event.name for event in events if event.name != "run"] for events in streams] == [
        ["end"]
    ] * 12


def test_clients_that_connect_while_events_are_published_get_each_event_once(
    live_url: str, run_id: UUID
) -> None:
    publish(RunStream(HOST, run_id), *map(sample_event, range(1200)))
    with ThreadPoolExecutor(6) as pool:
        watched = [pool.submit(relayed, live_url, run_id) for _ in range(3)]
        for second in range(1200, 1500):
            publish(RunStream(HOST, run_id), sample_event(second))
            if second == 1300:
                watched += [pool.submit(relayed, live_url, run_id) for _ in range(3)]
        publish(RunStream(HOST, run_id), SUCCEEDED)
        results = [watcher.result(timeout=LIMIT_S) for watcher in watched]

    for events in results:
        assert [event.data["second"] for event in events[:-1]] == list(range(1500))
        assert events[-1].name == "end"


def test_a_client_that_does_not_read_loses_its_stream_and_resumes(
    live_url: str, run_id: UUID
) -> None:
    address = urlsplit(live_url)
    with socket.create_connection((address.hostname, address.port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
        slow.sendall(f"GET {RUNS}/{run_id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        quick = stream(live_url, run_id)
        assert [next(quick).name, next(quick).name] == ["run", "run"]
        # More than the buffers of the sockets and the queue of the client can hold.
        for first in range(0, 4000, 100):
            numbers = range(first, first + 100)
            publish(
                RunStream(HOST, run_id),
                *(log_event(f"{number} {'x' * 5000}") for number in numbers),
            )
            lines = [next(event for event in quick if event.name != "run") for _ in range(100)]
            assert [line_number(event) for event in lines] == list(numbers)
        publish(RunStream(HOST, run_id), SUCCEEDED)
        received = read_to_the_end(slow)

    identifiers = re.findall(r"^id: (\S+)$", received, re.MULTILINE)
    assert 0 < len(identifiers) < 4000
    *rest, end = relayed(live_url, run_id, identifiers[-1])
    assert [line_number(event) for event in rest] == list(range(len(identifiers), 4000))
    assert end.name == "end"


def line_number(event: StreamedEvent) -> int:
    """Return the number with which a line begins."""
    return int(event.data["line"].split()[0])


def read_to_the_end(connection: socket.socket) -> str:
    """Return what the server sends until its last chunk, or until it closes the connection."""
    connection.settimeout(20)
    received = b""
    while not received.endswith(b"\r\n0\r\n\r\n") and (part := connection.recv(1 << 16)):
        received += part
    return received.decode()


def test_streams_end_with_one_log_line_when_redis_is_gone(
    installation: Settings, run_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as gone:
        # It accepts connections and closes them.
        Thread(target=close_all, args=[gone], daemon=True).start()
        patch.setenv("REDIS_URL", f"redis://127.0.0.1:{gone.getsockname()[1]}/0")
        get_settings.cache_clear()
        with serve(create_app()) as url, caplog.at_level("WARNING"):
            streamed = [list(stream(url, run_id)) for _ in range(3)]
            gone.shutdown(socket.SHUT_RDWR)
    get_settings.cache_clear()

    assert [[event.name for event in events] for events in streamed] == [["run"]] * 3
    (line,) = [record for record in caplog.records if "Event streams" in record.getMessage()]
    assert line.exc_info is None
    assert not [record for record in caplog.records if record.exc_info]


def test_a_stream_that_is_open_when_the_server_stops_is_logged_in_one_line(
    installation: Settings, run_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        with serve(create_app()) as url:
            events = stream(url, run_id)
            assert next(events).name == "run"
        with suppress(httpx2.TransportError):
            list(events)

    messages = [record.getMessage() for record in caplog.records]
    assert len([text for text in messages if "still open" in text]) == 1
    assert not [record for record in caplog.records if record.exc_info]


def close_all(listener: socket.socket) -> None:
    """Close every connection at once, until the listener is shut down."""
    with suppress(OSError):
        while True:
            listener.accept()[0].close()
