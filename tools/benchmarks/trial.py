"""Measure the time of a trial without its load, with Docker: `make bench-trial`.

It shows the steps of `go-nethttp × hello` with a cached image. The last line is one JSON object.
"""

import statistics
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import Self

from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import open_stack, print_result
from tools.benchmarks.needs import require_docker
from tools.benchmarks.stack import Stack
from worker.runtime.docker.engine import LABEL_RUN, LABEL_TRIAL, EngineClient, connect

# The last trial has no gap to a next trial, so it is not counted.
_TRIALS = 9
_FRAMEWORK, _SCENARIO = "go-nethttp", "hello"
_WARM_UP_SECONDS, _DURATION_SECONDS = 1, 2
_RUN_SECONDS = 600
_GOALS = {"overhead_seconds": 2.5}
_CELL = {
    "framework": _FRAMEWORK,
    "scenario": _SCENARIO,
    "parameters": {
        "warm_up_seconds": _WARM_UP_SECONDS,
        "duration_seconds": _DURATION_SECONDS,
        "rate_rps": 200,
    },
}

Steps = Mapping[str, Sequence[float]]


def main() -> None:
    """Print the table and the JSON line."""
    require_docker()
    with open_stack("bench-trial", RuntimeKind.DOCKER) as stack:
        trial = measure_trials(stack)
    all_of_it = [sum(times) for times in zip(*trial.values(), strict=True)]
    print(f"A trial of {_FRAMEWORK} × {_SCENARIO} without its load, seconds")
    print(f"{'':32}{'median':>8}{'max':>8}")
    for step, times in [*trial.items(), ("all of it", all_of_it)]:
        print(f"{step:32}{statistics.median(times):8.3f}{max(times):8.3f}")
    overhead = statistics.median(all_of_it)
    figures = {
        "overhead_seconds": round(overhead, 3),
        "overhead_max_seconds": round(max(all_of_it), 3),
        "trials": len(all_of_it),
        "steps_seconds": {
            step: round(statistics.median(times), 3) for step, times in trial.items()
        },
    }
    met = overhead <= _GOALS["overhead_seconds"]
    print_result("trial", figures, _GOALS, met=met)


def measure_trials(stack: Stack) -> Steps:
    """Return the seconds of each step by trial. Their sum is the time without load."""
    stack.api.await_success(stack.create_run([_CELL]), _RUN_SECONDS)  # builds what is not built yet
    with EngineEvents() as events:
        run = stack.api.await_success(stack.create_run([_CELL], trials=_TRIALS), _RUN_SECONDS)
        removals = events.removal_seconds(run)
    trials = sorted(run["trials"], key=lambda trial: int(trial["position"]))
    steps: dict[str, list[float]] = {}
    for trial, following in pairwise(trials):
        spent: Mapping[str, float] = trial["stage_seconds"]
        removal = removals[trial["id"]]
        load = spent["warming_up"] + spent["measuring"] - _WARM_UP_SECONDS - _DURATION_SECONDS
        # Stages are timed by the worker's clock, and ends by that of the database.
        whole = _seconds_between(trial["started_at"], trial["finished_at"])
        own = {
            "finding the build": spent["building"],
            "starting": spent["starting"],
            "verifying, until the load begins": spent["verifying"],
            "end of load": load,
            "collecting": spent["collecting"] - removal,
            "removal": removal,
            "between stages": whole - sum(spent.values()),
            "until the next trial is claimed": _seconds_between(
                trial["finished_at"], following["started_at"]
            ),
        }
        for step, seconds in own.items():
            steps.setdefault(step, []).append(seconds)
    return steps


class EngineEvents:
    """Record the engine's events about containers, from entry to exit."""

    def __init__(self) -> None:
        self._engine: EngineClient = connect()
        self._stream: Iterable[Document] = self._engine.events(
            decode=True, filters={"type": "container", "event": ["kill", "destroy"]}
        )
        self._seen: list[Document] = []
        self._thread = threading.Thread(target=self._read, name="engine-events", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()
        self._thread.join()

    def removal_seconds(self, run: Document) -> dict[str, float]:
        """Return the seconds from the first kill to the end of the last container, by trial id."""
        times: dict[str, list[int]] = {}
        for event in list(self._seen):
            labels = event["Actor"]["Attributes"]
            if labels.get(LABEL_RUN) == run["id"]:
                times.setdefault(labels[LABEL_TRIAL], []).append(int(event["timeNano"]))
        return {trial_id: (max(own) - min(own)) / 1e9 for trial_id, own in times.items()}

    def _read(self) -> None:
        # Closing the stream is the only way to end it, and may raise any error in the reader.
        with suppress(OSError, ValueError, AttributeError):
            for event in self._stream:
                self._seen.append(event)


def _seconds_between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


if __name__ == "__main__":
    main()
