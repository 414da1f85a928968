"""The load generators of cross-checks in calibrations: oha, wrk, or k6's own HTTP client.

None of them shares the sender, the schedule or the statistics of Tacho's load generator. Latencies
begin when a request is sent. At a rate, those of oha begin when the request is due, like Tacho's.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backend.core.errors import LoadFailed
from backend.core.units import Metric, ProfileKind, RuntimeKind

PLAIN_SCRIPT = Path(__file__).with_name("plain.js")

_USER_AGENT = "tacho"  # as Tacho's own, because each header costs the service time
_SHOWN_CHARACTERS = 300
_MS_PER_UNIT = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3}

Metrics = Mapping[Metric, float]


@dataclass(frozen=True)
class CrossCheckLoad:
    """The load of a cross-check.

    Attributes:
        connections: that never pause; at a rate, the connections that are ready.
        rate_rps: 0 for a load without a rate.
        threads: at most this many threads send.
    """

    url: str
    warm_up_seconds: int
    duration_seconds: int
    connections: int
    rate_rps: int = 0
    threads: int = 1


@dataclass(frozen=True)
class CrossCheckGenerator:
    """A load generator that is not Tacho's, for cross-checks.

    Attributes:
        version_command: its output begins with name and version.
        list_commands: the commands of a load, to run one after the other. The last one measures.
        environment: variables of these commands.
        read: reads the output of the last command; raises LoadFailed.
    """

    version_command: Sequence[str]
    list_commands: Callable[[CrossCheckLoad], Sequence[Sequence[str]]]
    environment: Callable[[CrossCheckLoad], Mapping[str, str]]
    read: Callable[[str], Metrics]


def choose_generator(kind: ProfileKind, runtime: RuntimeKind, script: str) -> CrossCheckGenerator:
    """Return the load generator that cross-checks a kind of load.

    It is oha if that is installed. wrk is next, but only for loads without a rate, because it
    cannot send at a rate. k6's own client comes last. Pods of the Docker runtime contain no other
    program than k6.

    Args:
        script: path of plain.js in the pod.
    """
    if runtime is RuntimeKind.PROCESS:
        if oha := find_program("oha"):
            return make_oha(oha)
        wrk = find_program("wrk")
        if wrk and kind is ProfileKind.SATURATE:
            return make_wrk(wrk)
    return make_plain_k6("k6", script)


def find_program(name: str) -> str | None:
    """Return the path of an installed program, also of a program that Cargo installed, or None."""
    path = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin")])
    return shutil.which(name, path=path)


def make_oha(program: str) -> CrossCheckGenerator:
    """Return oha; `program` is its path."""

    def command(load: CrossCheckLoad, seconds: int) -> list[str]:
        # At a rate, latencies count from the time at which a request was due, like Tacho's.
        rate = ["-q", str(load.rate_rps), "--latency-correction"] if load.rate_rps else []
        quiet = ["--no-tui", "--no-color", "--output-format", "json"]
        span = ["-c", str(load.connections), "-z", f"{seconds}s"]
        return [program, *quiet, *rate, *span, *_agent_header(), load.url]

    return CrossCheckGenerator(
        [program, "--version"], partial(_warm_up_first, command), lambda _: {}, read_oha
    )


def make_wrk(program: str) -> CrossCheckGenerator:
    """Return wrk, for loads without a rate; `program` is its path."""

    def command(load: CrossCheckLoad, seconds: int) -> list[str]:
        threads = min(load.threads, load.connections)
        span = [f"-t{threads}", f"-c{load.connections}", f"-d{seconds}s", "--latency"]
        return [program, *span, *_agent_header(), load.url]

    return CrossCheckGenerator(
        [program, "-v"], partial(_warm_up_first, command), lambda _: {}, read_wrk
    )


def make_plain_k6(program: str, script: str) -> CrossCheckGenerator:
    """Return k6 with its own HTTP client; `script` is the path of plain.js."""
    return CrossCheckGenerator(
        version_command=[program, "version"],
        list_commands=lambda _load: [plain_k6_command(program, script)],
        environment=lambda load: plain_k6_environment(
            url=load.url,
            warm_up_seconds=load.warm_up_seconds,
            seconds=load.duration_seconds,
            connections=load.connections,
            rate=load.rate_rps,
            vus=load.connections,
            user_agent=_USER_AGENT,
        ),
        read=read_plain_k6,
    )


def plain_k6_command(program: str, script: str) -> list[str]:
    """Return the command that runs plain.js."""
    return [program, "run", "--quiet", "--no-usage-report", script]


def plain_k6_environment(**load: object) -> dict[str, str]:
    """Return the environment of plain.js for a load with these keys."""
    return {"LOAD": json.dumps(load)}


def read_oha(output: str) -> Metrics:
    """Return what oha measured. Requests under way at its end are left out."""
    try:
        told = json.loads(output)
        statuses, errors = told["statusCodeDistribution"], dict(told["errorDistribution"])
        seconds, latencies = told["summary"]["total"], told["latencyPercentiles"]
        errors.pop("aborted due to deadline", None)
        if errors or set(statuses) != {"200"}:
            raise _complain("oha", f"{statuses} {errors}")
        return {
            Metric.THROUGHPUT_RPS: statuses["200"] / seconds,
            Metric.LATENCY_P50_MS: latencies["p50"] * 1e3,
            Metric.LATENCY_P99_MS: latencies["p99"] * 1e3,
        }
    except (ValueError, KeyError, TypeError) as error:
        raise _complain("oha", output) from error


def read_wrk(output: str) -> Metrics:
    """Return throughput and median that wrk measured.

    Its high percentiles are left out: wrk adds requests that it did not send to the distribution,
    to correct it for coordinated omission. Tacho reports the requests that were sent.
    """
    rate = re.search(r"^Requests/sec:\s+([\d.]+)$", output, re.MULTILINE)
    median = re.search(r"^\s+50%\s+([\d.]+)(us|ms|s|m)$", output, re.MULTILINE)
    if rate is None or median is None or "Non-2xx" in output or "Socket errors" in output:
        raise _complain("wrk", output)
    return {
        Metric.THROUGHPUT_RPS: float(rate[1]),
        Metric.LATENCY_P50_MS: float(median[1]) * _MS_PER_UNIT[median[2]],
    }


def read_plain_k6(output: str) -> Metrics:
    """Return what k6 measured with its own client."""
    try:
        told = json.loads(output)
        if told["failed"]:
            raise _complain("k6", output)
        return {
            Metric.THROUGHPUT_RPS: told["requests"] / told["seconds"],
            Metric.LATENCY_P50_MS: told["p50_ms"],
            Metric.LATENCY_P99_MS: told["p99_ms"],
        }
    except (ValueError, KeyError, TypeError) as error:
        raise _complain("k6", output) from error


def _warm_up_first(
    command: Callable[[CrossCheckLoad, int], list[str]], load: CrossCheckLoad
) -> list[list[str]]:
    spans = (load.warm_up_seconds, load.duration_seconds)
    return [command(load, seconds) for seconds in spans if seconds]


def _agent_header() -> list[str]:
    return ["-H", f"User-Agent: {_USER_AGENT}"]


def _complain(name: str, output: str) -> LoadFailed:
    shown = output.strip()[-_SHOWN_CHARACTERS:]
    return LoadFailed(f"The cross-check generator, {name}, did not measure. Its output: {shown}")
