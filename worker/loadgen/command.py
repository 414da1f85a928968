"""How to call the load generator: its command lines, its environment, its exit codes."""

from math import ceil

from worker.runtime.exit import Exit

# k6 writes nothing but our lines to stdout, asks nobody on the network and keeps no summary.
_QUIET = ("run", "--quiet", "--no-color", "--summary-mode", "disabled")
_HEAP_SHARE = 0.9  # of the memory given: stacks and the runtime need the rest

# Go's processors beside one for each CPU. The senders of plain GETs keep one a CPU to themselves,
# and the output needs another. When k6 sends: with one processor on one CPU, the goroutine that
# reads an answer waits for the one that sends the next request, and at 5,000 req/s the median was
# 0.6 ms instead of 0.2 ms.
_SPARE_PROCESSORS = 1

_EXIT_MEANINGS = {
    99: "a threshold was crossed",
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


def load_command(binary: str, script: str, *, is_summarised: bool = False) -> list[str]:
    """The command that runs load.js and writes the lines of `worker.loadgen.parse`.

    Args:
        binary: the load generator, as seen where the command runs.
        script: path of load.js there.
        is_summarised: let k6 count by itself too, and add that to the end line. Needs
            TACHO_K6_SUMMARY=1 in the environment, and memory for every single latency.
    """
    own_counting = [] if is_summarised else ["--no-thresholds"]
    return [binary, *_QUIET, *own_counting, "--out", "tacho", script]


def verify_command(binary: str, script: str) -> list[str]:
    """The command that runs verify.js: conformance lines, and an exit code other than 0 when
    a check failed.
    """
    return [binary, *_QUIET, "--no-thresholds", script]


def ready_command(
    binary: str,
    health_url: str,
    first_url: str | None = None,
    first_body: str | None = None,
    *,
    timeout_s: float = 60,
) -> list[str]:
    """The command that waits until a service is ready: one ready or ready_failed line.

    Args:
        binary: the load generator.
        health_url: polled every 5 ms until it answers 200.
        first_url: asked once then, and timed; None asks nothing. With a bearer token where the
            environment has TACHO_JWT_SECRET.
        first_body: JSON that is posted there; None gets it.
        timeout_s: for both together.
    """
    first = ["--first", first_url] if first_url else []
    if first_url and first_body is not None:
        first += ["--first-body", first_body]
    return [binary, "ready", "--url", health_url, *first, "--timeout", f"{ceil(timeout_s * 1e3)}ms"]


def load_environment(cpus: int, memory_bytes: int) -> dict[str, str]:
    """Environment of every command above, to be joined with the script's own.

    The garbage collector runs only when the memory is nearly used up: its pauses would show
    in the latencies.

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
