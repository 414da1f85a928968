"""Load hosts send a load together, over a real Redis and with the real load generator."""

import hashlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from backend.core.config import ROOT
from backend.core.errors import LoadFailed, LoadGeneratorDied, LoadHostLost
from backend.core.queue import open_redis
from backend.core.units import FailureCause
from backend.tests.waiting import wait_for
from worker.loadgen.command import echo_command
from worker.loadgen.parse import EchoLine, EndLine, LoadLine, SecondLine, StartLine, parse_line
from worker.remote.agent import LoadHost, send_load
from worker.remote.channels import ServiceChannel, reports_key, signals_key
from worker.remote.load import RemoteLoad
from worker.remote.messages import LoadOrder, LoadPart
from worker.tests.loadgen.bench import DRAWN_LOAD, LOAD

_SERVICE_HOST = "bench-01"
_ID = UUID(int=1)
_LOAD_ID = f"{_ID}.1"
_RATE_RPS = 101
_SECONDS = 3


@dataclass
class Bench:
    """Load hosts that run as threads of this process, and a service to send load to."""

    k6: Path
    data: Path
    redis_url: str
    service_url: str
    is_stopping: threading.Event

    allows_unisolated: bool = False
    outdated_host: str = ""

    def describe(self, name: str) -> LoadHost:
        digest = hashlib.sha256(self.k6.read_bytes()).hexdigest()
        cpus = tuple(sorted(os.sched_getaffinity(0)))
        data = self.data / name
        return LoadHost(
            name,
            f"of {name}",
            cpus,
            1 << 30,
            self.k6,
            digest,
            data,
            self.allows_unisolated,
            is_outdated=name == self.outdated_host,
        )

    def make_order(self, script: str) -> LoadOrder:
        lib = ROOT / "services/scenarios/lib"
        scripts = {f"lib/{path.name}": path.read_bytes() for path in lib.glob("*.js")}
        parameters = (
            f'{{"kind": "rate", "rate_rps": {_RATE_RPS}, "duration_seconds": {_SECONDS}, '
            '"warm_up_seconds": 0, "timeout_ms": 2000}'
        )
        return LoadOrder(
            k6_sha256=self.describe("any").k6_sha256,
            echo_address="",
            scripts={"load.js": script.encode(), **scripts},
            data={},
            environment={
                "TACHO_TARGET": self.service_url,
                "TACHO_PARAMETERS": parameters,
                "TACHO_SEED": "1",
            },
        )


@pytest.fixture
def bench(k6: Path, tmp_path: Path, redis_url: str, service_url: str) -> Iterator[Bench]:
    stopping = threading.Event()
    yield Bench(k6, tmp_path, redis_url, service_url, stopping)
    stopping.set()


@pytest.fixture
def echo_address(k6: Path) -> Iterator[str]:
    """The address of an echo server."""
    with subprocess.Popen(
        echo_command(str(k6), "127.0.0.1"), stdout=subprocess.PIPE, text=True
    ) as echo:
        assert echo.stdout is not None
        line = parse_line(echo.stdout.readline())
        assert isinstance(line, EchoLine)
        yield f"127.0.0.1:{line.port}"
        echo.kill()


@pytest.fixture
def join(bench: Bench, echo_address: str) -> Iterator[Callable[..., RemoteLoad]]:
    """Return a load that the named load hosts have joined; each runs as a thread."""
    with ExitStack() as exits:

        def make(names: list[str], script: str = LOAD, **changes: object) -> RemoteLoad:
            def run(index: int) -> None:
                host, part = bench.describe(names[index]), make_part(index, len(names))
                with open_redis(bench.redis_url) as client:
                    send_load(host, part, client, bench.is_stopping.is_set)

            def request() -> None:
                for index in range(len(names)):
                    thread = threading.Thread(target=run, args=(index,))
                    thread.start()
                    exits.callback(thread.join)
                # Otherwise a host that has joined would wait until the signals expire.
                exits.callback(bench.is_stopping.set)

            client = exits.enter_context(open_redis(bench.redis_url))
            channel = ServiceChannel(client, _SERVICE_HOST, names, _LOAD_ID)
            order = bench.make_order(script).model_copy(
                update={"echo_address": echo_address} | changes
            )
            remote = RemoteLoad(channel, names, order, request, lambda: None)
            exits.enter_context(remote)
            return remote

        yield make


def make_part(index: int, count: int) -> LoadPart:
    return LoadPart(
        run_id=_ID,
        trial_id=_ID,
        attempt=1,
        service_host=_SERVICE_HOST,
        segment_index=index,
        segment_count=count,
    )


def follow(remote: RemoteLoad) -> list[LoadLine]:
    """Send a load of some seconds, and return its lines."""
    remote.start()
    lines: list[LoadLine] = []
    for line in remote.lines():
        lines.append(line)
        if isinstance(line, SecondLine) and line.second == _SECONDS - 1:
            remote.finish()
    return lines


def count_requests(lines: list[LoadLine]) -> list[int]:
    seconds = [line for line in lines if isinstance(line, SecondLine)]
    return [
        sum(line.requests for line in seconds if line.second == second)
        for second in range(_SECONDS)
    ]


@pytest.mark.acceptance
@pytest.mark.parametrize("script", [LOAD, DRAWN_LOAD], ids=["templates", "drawn"])
def test_load_hosts_send_the_whole_load_together(
    join: Callable[..., RemoteLoad], script: str
) -> None:
    remote = join(["one", "two", "three"], script)
    joined = remote.join()
    lines = follow(remote)

    assert [host.name for host in joined] == ["one", "two", "three"]
    assert all(0 < host.network.min_ms <= host.network.p99_ms for host in joined)
    assert isinstance(lines[0], StartLine)
    assert isinstance(lines[-1], EndLine)
    # The rate is not divisible by the number of load hosts.
    assert count_requests(lines) == [_RATE_RPS] * _SECONDS
    assert lines[-1].checks.wrong == 0
    assert lines[-1].interrupted == 0
    assert set(range(_SECONDS)) <= set(remote.cpu_seconds)


def test_a_load_leaves_nothing_in_redis_and_on_disk(
    join: Callable[..., RemoteLoad], bench: Bench
) -> None:
    # Sends the order again, as after a lost answer of Redis.
    with join(["one"]) as remote:
        remote.join()
    folder = bench.data / "one" / "trials"
    with open_redis(bench.redis_url) as client:

        def is_gone() -> bool:
            left = [*folder.iterdir()] if folder.exists() else []
            return not left and not client.exists(signals_key(_SERVICE_HOST, "one", _LOAD_ID))

        wait_for(is_gone)
        ttl = client.ttl(reports_key(_SERVICE_HOST, "one", _LOAD_ID))
    # A report that was under way when the load ended expires by itself.
    assert ttl == -2 or 0 <= ttl <= 15


@pytest.mark.acceptance
def test_a_load_generator_that_is_killed_is_named_with_its_host(
    join: Callable[..., RemoteLoad], bench: Bench
) -> None:
    remote = join(["one"])
    remote.join()
    remote.start()

    def read() -> None:
        for line in remote.lines():
            if isinstance(line, SecondLine):
                for process in psutil.process_iter(["cmdline"]):
                    command = process.info["cmdline"] or []
                    if "--paused" in command and str(bench.data) in " ".join(command):
                        process.kill()

    with pytest.raises(LoadGeneratorDied, match="on the load host one was killed by SIGKILL"):
        read()


def test_a_stopped_worker_of_a_load_host_reports_it(
    join: Callable[..., RemoteLoad], bench: Bench
) -> None:
    remote = join(["one"])
    remote.join()
    bench.is_stopping.set()

    with pytest.raises(LoadHostLost, match="worker of the load host one is being stopped"):
        remote.start()


def test_another_version_of_the_load_generator_is_refused(join: Callable[..., RemoteLoad]) -> None:
    remote = join(["one"], k6_sha256="another")

    with pytest.raises(LoadHostLost, match="Install the same version of Tacho"):
        remote.join()


def test_an_outdated_load_host_sends_nothing_and_is_named(
    join: Callable[..., RemoteLoad], bench: Bench
) -> None:
    bench.outdated_host = "two"
    remote = join(["one", "two"])

    with pytest.raises(LoadHostLost, match="The load host two is outdated"):
        remote.join()

    assert not (bench.data / "two").exists()


def test_the_script_of_an_order_does_not_reach_the_files_of_the_load_host(
    join: Callable[..., RemoteLoad], tmp_path: Path
) -> None:
    secret = tmp_path / "settings"
    secret.write_text("DATABASE_URL=postgresql://a-host:a-password@server/tacho")
    remote = join(["one"], f"const read = open('{secret}'); throw new Error(read);{LOAD}")

    remote.join()
    with pytest.raises(LoadFailed, match="settings: no such file or directory"):
        remote.start()


def test_a_load_host_without_a_sandbox_refuses_to_send_load(
    join: Callable[..., RemoteLoad], bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # As on a machine without bubblewrap.
    monkeypatch.setenv("PATH", str(tmp_path))
    remote = join(["one"])

    with pytest.raises(LoadHostLost, match="TACHO_ALLOW_UNISOLATED=true on one") as refused:
        remote.join()
    assert refused.value.cause is FailureCause.INFRASTRUCTURE
    assert "could read its credentials" in refused.value.detail
    assert not (bench.data / "one" / "trials").exists()


@pytest.mark.acceptance
def test_an_operator_allows_load_without_a_sandbox(
    join: Callable[..., RemoteLoad], bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bench.allows_unisolated = True
    remote = join(["one"])

    remote.join()

    assert count_requests(follow(remote)) == [_RATE_RPS] * _SECONDS


def test_a_service_host_that_cannot_be_reached_is_named(
    join: Callable[..., RemoteLoad],
) -> None:
    remote = join(["one"], echo_address="127.0.0.1:1")

    with pytest.raises(LoadHostLost, match=r"cannot reach 127\.0\.0\.1:1"):
        remote.join()


def test_a_request_without_an_order_is_ignored(bench: Bench) -> None:
    with open_redis(bench.redis_url) as client:
        send_load(bench.describe("one"), make_part(0, 1), client, lambda: False)

        assert not client.exists(reports_key(_SERVICE_HOST, "one", _LOAD_ID))


def test_an_order_of_another_version_is_refused(
    join: Callable[..., RemoteLoad], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LoadOrder, "model_dump_json", lambda _: '{"another": "version"}')
    remote = join(["one"])

    with pytest.raises(LoadHostLost, match="Install the same version of Tacho"):
        remote.join()
