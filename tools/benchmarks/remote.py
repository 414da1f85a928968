"""Check loads from other machines against known networks: `make bench-remote`.

The service runs on this host. Each load host is a network namespace with a worker of its own,
which reaches the service, Redis and PostgreSQL only over a link of known delay and rate. The
benchmark checks that

1. an added delay appears in every percentile of a service with known latencies, compared with the
   same link without the delay in the same round,
2. the network that a load host measures before its load has the rate of its link,
3. two load hosts report the same latencies as one at the same total rate,
4. load hosts whose wall clocks are 5 s ahead and 5 s behind report the same, too,
5. a load host whose worker is killed under load causes a clear failure, and the trial is repeated.

In the first check, service and load generator run with a real-time priority: on machines of their
own they would not wait for the other parts of Tacho, with which they share the CPUs of this one.

It needs root. The last line is one JSON object.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from statistics import median

from backend.core.errors import LoadHostLost
from backend.core.results.calibration.truth import TOLERANCE_MS, TOLERANCE_SHARE, Distribution
from backend.core.units import Purpose
from tools.benchmarks.api import Document
from tools.benchmarks.links import Link, LinkShape
from tools.benchmarks.load_hosts import QUANTILES, LoadHosts, RemoteTrial, open_load_hosts
from tools.benchmarks.measuring import measure_in_turns, print_result, reference_cell
from tools.benchmarks.needs import require_namespaces
from tools.benchmarks.priority import prioritized
from tools.benchmarks.remote_findings import (
    CPU_SHARE,
    REQUESTS_SHARE,
    RemoteFinding,
    compare_trials,
    label,
    merge_latencies,
    pick,
    show,
    tabulate,
)
from tools.benchmarks.waiting import has_come

_ROUNDS = 5
# The p99 of a trial varies more than the other compared figures.
_DELAY_FACTOR = 2
# In each direction: together 1 ms.
_DELAY_US = 500
_ADDED_MS = 1.0
_ADDED_SHARE = 0.05
_RATE_MBPS = 100
_RATE_SHARE = 0.1
# Load hosts by their number: two with the clock of this machine, and two with other clocks.
_ONE, _TWO, _SHIFTED = slice(1), slice(2), slice(2, 4)
_CLOCKS_SECONDS = (5, -5)
_UNSHAPED = LinkShape()
_FAILURE_SECONDS = 60.0
_POLL_SECONDS = 0.1
_RUN_SECONDS = 300.0
_MEASURED_PROGRAMS = frozenset({"service", "k6"})
_SHOWN = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)

# Narrow, so that a percentile differs little between samples, and slow enough that a request ends
# before the next one begins.
_NARROW = {"median_us": 2000, "sigma_percent": 5}
_DELAY_LOAD = {"rate_rps": 200, "warm_up_seconds": 1, "duration_seconds": 15}
_RATE_LOAD = {"rate_rps": 50, "warm_up_seconds": 0, "duration_seconds": 2}
_HOSTS_LOAD = {
    "rate_rps": 1000,
    "warm_up_seconds": 1,
    "duration_seconds": 15,
    "median_us": 5000,
    "sigma_percent": 40,
    "burn_us": 100,
}
_GOALS = {
    "added_ms": (_ADDED_MS * (1 - _ADDED_SHARE), _ADDED_MS * (1 + _ADDED_SHARE)),
    "rate_mbps": (_RATE_MBPS * (1 - _RATE_SHARE), _RATE_MBPS * (1 + _RATE_SHARE)),
    "latency_share": TOLERANCE_SHARE,
    "latency_ms": TOLERANCE_MS,
    "requests_share": REQUESTS_SHARE,
    "cpu_share": CPU_SHARE,
    "loss": (LoadHostLost.code, LoadHostLost.cause, "attempt 2 succeeds"),
}


class RemoteBenchmark:
    """The checks, which share the load hosts and some of their trials."""

    def __init__(self, load_hosts: LoadHosts, rounds: int) -> None:
        self._load_hosts = load_hosts
        self._rounds = rounds
        self.trials: list[RemoteTrial] = []

    def check_delay(self) -> RemoteFinding:
        """Compare the percentiles with and without an added delay, in turns."""
        rounds = _DELAY_FACTOR * self._rounds
        with prioritized(_MEASURED_PROGRAMS):
            load, delay = _NARROW | _DELAY_LOAD, LinkShape(delay_us=_DELAY_US)
            measured = measure_in_turns(
                rounds,
                {
                    "without": lambda: self._measure(load, _ONE),
                    "delayed": lambda: self._measure(load, _ONE, delay),
                },
            )
        without, delayed = measured.values()
        added = [
            median(
                own.latencies_ms[place] - other.latencies_ms[place]
                for own, other in zip(delayed, without, strict=True)
            )
            for place in range(len(QUANTILES))
        ]
        known = Distribution(_NARROW["median_us"] / 1e3, _NARROW["sigma_percent"] / 100)
        columns = {
            "service": [known.quantile_ms(quantile) for quantile in QUANTILES],
            "without": merge_latencies(without),
            "delayed": merge_latencies(delayed),
            "added": added,
        }
        judged = [place for place, quantile in enumerate(QUANTILES) if quantile <= 0.99]
        worst = max(judged, key=lambda place: abs(added[place] - _ADDED_MS))
        trips = [median(trial.networks[0]["p50_ms"] for trial in own) for own in (without, delayed)]
        lines = [
            f"{2 * _DELAY_US} µs per round trip, half in each direction; {rounds} rounds",
            *tabulate(columns, _SHOWN),
            f"Largest difference of p1 to p99: {added[worst]:.3f} ms at {label(QUANTILES[worst])}",
            f"Median round trip that the load host measured: {trips[0]:.3f} ms, "
            f"{trips[1]:.3f} ms with the delay",
        ]
        figures = {
            "added_ms": pick(added, _SHOWN),
            "worst_added_ms": round(added[worst], 4),
            "worst_quantile": QUANTILES[worst],
            "round_trip_added_ms": round(trips[1] - trips[0], 4),
        }
        is_met = abs(added[worst] - _ADDED_MS) <= _ADDED_SHARE * _ADDED_MS
        return RemoteFinding("Added delay (ms)", lines, figures, is_met)

    def check_rate(self) -> RemoteFinding:
        """Compare the measured throughput with the rate of the link."""
        shape = LinkShape(rate_mbps=_RATE_MBPS)
        trials = [self._measure(_NARROW | _RATE_LOAD, _ONE, shape) for _ in range(self._rounds)]
        found = {
            name: median(trial.networks[0][name] for trial in trials)
            for name in ("send_mbps", "receive_mbps")
        }
        lines = [
            f"{_RATE_MBPS} Mbit/s of IP packets in each direction; measured as payload of TCP: "
            f"{found['send_mbps']:.1f} sending, {found['receive_mbps']:.1f} receiving"
        ]
        figures = {name: round(value, 2) for name, value in found.items()}
        is_met = all(abs(value / _RATE_MBPS - 1) <= _RATE_SHARE for value in found.values())
        return RemoteFinding("Limited rate", lines, figures, is_met)

    def check_hosts(self) -> tuple[RemoteFinding, RemoteFinding]:
        """Compare two load hosts with one, and with two that have other wall clocks, in turns."""
        hosts = {"one": _ONE, "two": _TWO, "shifted": _SHIFTED}
        one, two, shifted = measure_in_turns(
            self._rounds,
            {name: partial(self._measure, _HOSTS_LOAD, chosen) for name, chosen in hosts.items()},
        ).items()
        clocks = " and ".join(f"{seconds:+d} s" for seconds in _CLOCKS_SECONDS)
        return (
            compare_trials("One and two load hosts (latencies in ms)", one, two),
            compare_trials(
                f"Two load hosts with clocks of {clocks} (latencies in ms)", two, shifted
            ),
        )

    def check_loss(self) -> RemoteFinding:
        """Kill the worker of a load host under load, and start it again after the failure."""
        load_hosts, api = self._load_hosts, self._load_hosts.stack.api
        run = load_hosts.stack.create_run(
            [reference_cell(**_HOSTS_LOAD)],
            purpose=Purpose.CALIBRATION,
            load_hosts=load_hosts.names[_TWO],
        )
        api.await_stage(run, frozenset({"measuring"}), _RUN_SECONDS)
        load_hosts.kill(1)
        killed = time.monotonic()
        failure = self._await_failure(run)
        noticed_s = time.monotonic() - killed
        load_hosts.start(1)
        ended = api.await_run(run, _RUN_SECONDS)
        (trial,) = ended["trials"]
        lines = [
            f"After {noticed_s:.1f} s: {failure.get('code', 'no failure')}, cause "
            f"{failure.get('cause', 'unknown')}: {failure.get('detail', '')}",
            f"Attempt {trial['attempt']} of the trial: {trial['status']}",
        ]
        figures = {
            "code": failure.get("code"),
            "cause": failure.get("cause"),
            "noticed_s": round(noticed_s, 1),
            "attempt": trial["attempt"],
            "status": ended["status"],
        }
        is_met = (
            (failure.get("code"), failure.get("cause")) == (LoadHostLost.code, LoadHostLost.cause)
            and load_hosts.names[1] in failure["detail"]
            and (trial["attempt"], ended["status"]) == (2, "succeeded")
        )
        return RemoteFinding("A load host that dies under load", lines, figures, is_met)

    def _await_failure(self, run: Document) -> Mapping[str, str]:
        """Return the failure that caused another attempt; empty if there is none in time."""
        failures: list[Mapping[str, str]] = []

        def find() -> bool:
            (trial,) = self._load_hosts.stack.api.get_run(run)["trials"]
            failures.extend(trial["retried_failures"])
            return bool(failures)

        return failures[0] if has_come(find, _FAILURE_SECONDS, _POLL_SECONDS) else {}

    def _measure(
        self, parameters: Mapping[str, int], hosts: slice, shape: LinkShape = _UNSHAPED
    ) -> RemoteTrial:
        for host in self._load_hosts.hosts:
            host.link.change(shape)
        trial = self._load_hosts.measure(reference_cell(**parameters), hosts)
        self.trials.append(trial)
        return trial


def main() -> int:
    """Print the tables and the JSON line. The exit code is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds",
        type=int,
        default=_ROUNDS,
        help="trials of each condition; with and without the delay, twice as many",
    )
    rounds = parser.parse_args().rounds
    require_namespaces()
    with open_load_hosts("bench-remote", (0, 0, *_CLOCKS_SECONDS)) as load_hosts:
        print(f"Links: {load_hosts.hosts[0].link.kind}", flush=True)
        benchmark = RemoteBenchmark(load_hosts, rounds)
        load_hosts.start_first(1)
        findings = {"delay": benchmark.check_delay()}
        show(findings["delay"])
        findings["rate"] = benchmark.check_rate()
        show(findings["rate"])
        load_hosts.start_all()
        findings["hosts"], findings["clocks"] = benchmark.check_hosts()
        show(findings["hosts"])
        show(findings["clocks"])
        findings["loss"] = benchmark.check_loss()
        show(findings["loss"])
        link = load_hosts.hosts[0].link
    met = all(found.is_met for found in findings.values())
    print_result("remote", _list_figures(benchmark, link, findings), _GOALS, met=met)
    return 0 if met else 1


def _list_figures(
    benchmark: RemoteBenchmark, link: Link, findings: Mapping[str, RemoteFinding]
) -> dict[str, object]:
    verdicts = Counter(name for trial in benchmark.trials for name in trial.verdicts)
    print(f"\n{len(benchmark.trials)} trials; verdicts: {dict(verdicts)}")
    return {
        "link": {"kind": link.kind, **link.report},
        "load_average": round(os.getloadavg()[0], 1),
        "trials": len(benchmark.trials),
        "verdicts": dict(verdicts),
        **{name: {**found.figures, "met": found.is_met} for name, found in findings.items()},
    }


if __name__ == "__main__":
    raise SystemExit(main())
