"""Command lines, environment and exit codes of the load generator."""

from dataclasses import dataclass
from math import ceil

from worker.runtime.exit import Exit

# k6 writes only Tacho's lines to stdout, sends no requests of its own and prints no summary.
QUIET = ("run", "--quiet", "--no-color", "--summary-mode", "disabled")
_HEAP_SHARE = 0.9  # stacks and Go's runtime need the rest of the memory

# Go's processors in addition to one per CPU. The senders occupy one per CPU. The output and the
# script, which draws requests and compares responses, need another.
_SPARE_PROCESSORS = 1

THRESHOLD_FAILED = 99
_EXIT_MEANINGS = {
    THRESHOLD_FAILED: "a threshold was crossed",
    100: "its setup took too long",
    101: "its teardown took too long",
    102: "it took too long",
    103: "it was stopped over its REST interface",
    104: "its options are invalid",
    105: "it was interrupted",
    106: "its REST interface could not start",
    107: "the script raised an exception",
    108: "the script aborted the test",
    109: "it crashed",
    110: "the script marked the test as failed",
}


@dataclass(frozen=True)
class Segment:
    """The part of a load that one of several load generators sends: `index`, from 0, of `count`."""

    index: int
    count: int


def load_command(binary: str, script: str, *, is_summarised: bool = False) -> list[str]:
    """Return the command that runs load.js and writes the lines of `worker.loadgen.parse`.

    Args:
        binary: the load generator, as seen where the command runs.
        script: path of load.js there.
        is_summarised: whether k6 counts requests too, and adds its counts to the end line. This
            needs TACHO_K6_SUMMARY=1 in the environment, and memory for each latency.
    """
    own_counting = [] if is_summarised else ["--no-thresholds"]
    return [binary, *QUIET, *own_counting, "--out", "tacho", script]


def script_command(binary: str, script: str) -> list[str]:
    """Return the command that runs a k6 script which sends the load itself.

    It writes the lines of `worker.loadgen.parse`, if it has `script_environment`. Its thresholds
    count, so its exit code may be `THRESHOLD_FAILED`.
    """
    return [binary, *QUIET, "--out", "tacho", script]


def script_environment(target: str, seconds: int, window: range) -> dict[str, str]:
    """Return the variables of such a script.

    Args:
        target: URL of the service, without a trailing slash.
        seconds: the load ends after this time, if the script does not end before.
        window: the measured seconds. The script's own metrics count in them only.
    """
    return {
        "BASE_URL": target,
        "TACHO_SCRIPT_SECONDS": str(seconds),
        "TACHO_SCRIPT_WINDOW": f"{window.start}:{window.stop}",
    }


def segment_command(binary: str, script: str, segment: Segment, rest_address: str) -> list[str]:
    """Return the command that sends one segment of the load of load.js.

    k6 prepares the load and then waits until its REST interface resumes it.

    Args:
        binary, script: as for `load_command`.
        rest_address: address and port of that interface.
    """
    bounds = [f"{number}/{segment.count}" for number in range(1, segment.count)]
    sequence = ["0", *bounds, "1"]
    own = f"{sequence[segment.index]}:{sequence[segment.index + 1]}"
    parts = ["--execution-segment", own, "--execution-segment-sequence", ",".join(sequence)]
    command = load_command(binary, script)
    return [*command[:2], "--paused", "--address", rest_address, *parts, *command[2:]]


def segment_environment(segment: Segment) -> dict[str, str]:
    """Return the variables that the scripts need to send one segment of a load."""
    return {"TACHO_LOAD_GENERATORS": str(segment.count)}


def echo_command(binary: str, address: str, port: int = 0) -> list[str]:
    """Return the command that answers measurements of the network on a port; 0 is a free one.

    It writes an echo line, and runs until it is interrupted.
    """
    return [binary, "echo", "--address", address, "--port", str(port)]


def network_command(binary: str, target: str) -> list[str]:
    """Return the command that measures the network to an echo server and writes a network line."""
    return [binary, "network", "--target", target]


def verify_command(binary: str, script: str) -> list[str]:
    """Return the command that runs verify.js.

    It writes conformance lines, and its exit code is not 0 if a check failed.
    """
    return [binary, *QUIET, "--no-thresholds", script]


def ready_command(
    binary: str,
    health_url: str,
    first_url: str | None = None,
    first_body: str | None = None,
    *,
    timeout_s: float = 60,
) -> list[str]:
    """Return the command that waits for a service and writes a ready or ready_failed line.

    Args:
        binary: the load generator.
        health_url: polled every 5 ms until it answers 200.
        first_url: requested once then, and timed; None sends no request. It has a bearer token if
            the environment has TACHO_JWT_SECRET.
        first_body: JSON to post there; None sends a GET.
        timeout_s: for both together.
    """
    first = ["--first", first_url] if first_url else []
    if first_url and first_body is not None:
        first += ["--first-body", first_body]
    return [binary, "ready", "--url", health_url, *first, "--timeout", f"{ceil(timeout_s * 1e3)}ms"]


def load_environment(cpus: int, memory_bytes: int) -> dict[str, str]:
    """Return the environment of every command above, to merge with the script's own.

    The garbage collector runs only when the memory is nearly used up, because its pauses would
    increase latencies.

    Args:
        cpus: how many CPUs the load generator is pinned to.
        memory_bytes: how much memory it may use.
    """
    return {
        "GOGC": "off",
        "GOMEMLIMIT": str(int(memory_bytes * _HEAP_SHARE)),
        "GOMAXPROCS": str(cpus + _SPARE_PROCESSORS),
        "K6_NO_USAGE_REPORT": "true",
        "K6_AUTO_EXTENSION_RESOLUTION": "false",
    }


def explain_exit(end: Exit) -> str:
    """Return how k6 ended, to follow "The load generator"."""
    if end.is_killed or end.is_out_of_memory:
        return end.describe()
    meaning = _EXIT_MEANINGS.get(end.code or 0)
    return f"{end.describe()}: {meaning}" if end.code and meaning else end.describe()
