"""Cells with short loads, so that the suite stays fast."""

import shutil
from pathlib import Path
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


# The scenario hello with a script that draws at most 50 requests a second.
SLOW_SCRIPT = "slow-script"
_SLOW_LOAD = """
import { defineLoad } from './lib/load.js';
import { hello, unknownPath } from './requests.js';

function draw() {
  const until = Date.now() + 20;
  while (Date.now() < until);
  return {};
}

export const { options, run } = defineLoad({ requests: [{ ...hello, draw }, unknownPath] });

export default run;
"""


def add_slow_script(services: Path) -> None:
    """Add the scenario with the slow script to a catalogue; go-nethttp implements it."""
    folder = services / "scenarios" / SLOW_SCRIPT
    shutil.copytree(services / "scenarios/hello", folder)
    (folder / "load.js").write_text(_SLOW_LOAD)
    manifest = folder / "scenario.toml"
    manifest.write_text(manifest.read_text().replace('slug = "hello"', f'slug = "{SLOW_SCRIPT}"'))
    with (services / "frameworks/go/go-nethttp/service.toml").open("a") as service:
        service.write(f"\n[scenarios.{SLOW_SCRIPT}]\n")


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
