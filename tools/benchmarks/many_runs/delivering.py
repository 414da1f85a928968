"""Plays bench hosts: each claims trials, follows their load in real time and stores them.

`python -m tools.benchmarks.many_runs.delivering FIRST COUNT` prints a line when the hosts are
registered, runs until its input ends, and prints what they did as one JSON object.
"""

import json
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from backend.core.config import get_settings
from backend.core.queue import host_queue, open_redis
from tools.benchmarks.many_runs.fleet import name_host
from tools.benchmarks.many_runs.playing import PlayedHost, PlayedMachine

_POLL_SECONDS = 1


def main() -> None:
    """Run the hosts until the standard input ends."""
    first, count = map(int, sys.argv[1:])
    stopping = threading.Event()
    machine = PlayedMachine()
    hosts = {
        # The first host of the installation is on the machine of the dispatcher.
        name_host(number): PlayedHost(machine, name_host(number), stopping, is_joined=number > 0)
        for number in range(first, first + count)
    }
    for host in hosts.values():
        host.start()
    receiver = threading.Thread(target=_receive, args=(hosts, stopping))
    receiver.start()
    print(json.dumps({"hosts": len(hosts)}), flush=True)
    sys.stdin.read()
    stopping.set()
    receiver.join()
    for host in hosts.values():
        host.wake_up()
    # Each host waits up to a second for its thread of signals.
    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(PlayedHost.join, hosts.values()))
    print(
        json.dumps(
            {
                "registrations_ms": [host.register_ms for host in hosts.values()],
                "claims": [claim for host in hosts.values() for claim in host.claims],
                "delivered": [trial for host in hosts.values() for trial in host.delivered],
            }
        )
    )


def _receive(hosts: Mapping[str, PlayedHost], stopping: threading.Event) -> None:
    """Pass on the wake-up messages of all hosts, until the process stops."""
    of_queue = {host_queue(name): host for name, host in hosts.items()}
    with open_redis(get_settings().redis_url) as client:
        while not stopping.is_set():
            found = cast("tuple[bytes, bytes] | None", client.brpop(list(of_queue), _POLL_SECONDS))
            if found is not None:
                of_queue[found[0].decode()].wake_up()


if __name__ == "__main__":
    main()
