"""Measure the CPU time of the API from its start to its first response: `make bench-start`.

Each round starts the API and then a bare API on the same libraries (`bare_app`), on the same
PostgreSQL and Redis. The ratio of the two is independent of the speed of the machine. The last line
is one JSON object.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median

import httpx
import psutil

from backend.core.config import get_settings
from backend.platform.network import find_free_port
from backend.platform.processes.parts import api_command
from tools.benchmarks.installation import open_new_installation
from tools.benchmarks.measuring import print_result

_ROUNDS = 7
# Commit 179a320, where every start imported SciPy, took 2.85 × the peer in the same run.
_GOAL_RATIO = 1.28
_TIMEOUT_S = 120.0


def main() -> None:
    """Print the table and the JSON line. `met` is true if the ratio is within the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    rounds = parser.parse_args().rounds
    with open_new_installation("bench-start"):
        spent = measure(rounds)
    ratios = [tacho / bare for tacho, bare in zip(spent["tacho"], spent["bare"], strict=True)]
    print(f"{'':<10}{'CPU s':>8}{'lowest':>8}{'highest':>9}{'ratio':>7}")
    for name, seconds in spent.items():
        ratio = median(ratios) if name == "tacho" else 1
        shown = f"{median(seconds):>8.2f}{min(seconds):>8.2f}{max(seconds):>9.2f}{ratio:>7.2f}"
        print(f"{name:<10}{shown}")
    figures = {
        **{f"{name}_cpu_s": round(median(seconds), 3) for name, seconds in spent.items()},
        "ratio": round(median(ratios), 3),
        "rounds": rounds,
    }
    print_result("start", figures, {"ratio": _GOAL_RATIO}, met=median(ratios) <= _GOAL_RATIO)


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the CPU seconds of each start; a start before the first round is not counted."""
    spent: dict[str, list[float]] = {"tacho": [], "bare": []}
    for number in range(rounds + 1):
        for name, seconds in spent.items():
            used = _start(name)
            if number:
                seconds.append(used)
    return spent


def _start(name: str) -> float:
    port = find_free_port()
    if name == "tacho":
        argv = api_command_on(port)
        path = "/api/v1/frameworks"
    else:
        app = "tools.benchmarks.bare_app:create_app"
        argv = (sys.executable, "-m", "uvicorn", app, "--factory", "--port", str(port))
        path = "/"
    # Both read compiled modules, like the API of `tacho up`.
    variables = {"TACHO_PORT": str(port), "PYTHONDONTWRITEBYTECODE": ""}
    return _cpu_seconds_to_answer(argv, f"http://127.0.0.1:{port}{path}", variables)


def api_command_on(port: int) -> tuple[str, ...]:
    """Return the command with which `tacho up` starts the API, for another port."""
    return api_command(get_settings().model_copy(update={"port": port}))


def _cpu_seconds_to_answer(argv: Sequence[str], url: str, variables: Mapping[str, str]) -> float:
    process = subprocess.Popen(
        argv, env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + _TIMEOUT_S
        while not _answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{' '.join(argv)} did not answer.")
            time.sleep(0.05)
        times = psutil.Process(process.pid).cpu_times()
        return float(times.user + times.system)
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=30, trust_env=False).is_success
    except httpx.TransportError:
        return False


if __name__ == "__main__":
    main()
