"""Cells with short loads, so that the suite stays fast."""

from typing import Any

WARM_UP_SECONDS = 1
DURATION_SECONDS = 3
RATE_RPS = 200

_LOADS: dict[str, dict[str, int]] = {
    "rate-quick": {"rate_rps": RATE_RPS},
    "users-quick": {"users": 10, "pause_ms": 20},
    "users-small-quick": {"users": 4, "pause_ms": 10},
    "users-large-quick": {"users": 4, "pause_ms": 10},
    "low-quick": {"users": 2, "pause_ms": 100},
    "saturate-quick": {"connections": 4},
    "steps-quick": {"first_rps": 100, "step_rps": 50, "steps": 3, "step_seconds": 2},
    "till-failure-quick": {"first_rps": 50, "step_rps": 50, "steps": 9, "step_seconds": 2},
}


def cell(
    framework: str, scenario: str = "hello", profile: str = "rate-quick", **parameters: int
) -> dict[str, Any]:
    """Return a cell of `POST /runs` with a short load, which `parameters` override."""
    has_steps = "steps" in _LOADS[profile]
    chosen = {
        "warm_up_seconds": WARM_UP_SECONDS,
        **({} if has_steps else {"duration_seconds": DURATION_SECONDS}),
        **_LOADS[profile],
        **({"delay_ms": 100} if scenario == "slow-upstream" else {}),
        **parameters,
    }
    return {"framework": framework, "scenario": scenario, "profile": profile, "parameters": chosen}
