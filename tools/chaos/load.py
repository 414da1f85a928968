"""Short loads of fast frameworks: one cell each, with a few seconds per trial."""

from backend.core.documents import JsonObject

WARM_UP_SECONDS = 1
DURATION_SECONDS = 3
_TIMES = {"warm_up_seconds": WARM_UP_SECONDS, "duration_seconds": DURATION_SECONDS}


def _cell(framework: str, scenario: str, **parameters: int) -> JsonObject:
    return {
        "framework": framework,
        "scenario": scenario,
        "profile": "rate-quick",
        "parameters": _TIMES | parameters,
    }


# The loads by the names in `Kind.loads`.
LOADS: dict[str, JsonObject] = {
    "node": _cell("node", "hello", rate_rps=100),
    "go": _cell("go-nethttp", "hello", rate_rps=100),
    "slow-upstream": _cell("go-nethttp", "slow-upstream", rate_rps=50, delay_ms=100),
    "chain": _cell("chain-go-rest", "chain", rate_rps=20),
}
# The load with a compiled framework: after a change of its source, its building stage takes
# seconds.
COMPILED = "go"
COMPILED_SOURCE = "frameworks/go/go-nethttp/main.go"
