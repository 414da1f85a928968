"""Start the load generator like a trial, and collect its lines."""

import json
import os
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from backend.core.measurement.measurements.histogram import Histogram
from backend.tests.waiting import LIMIT_S
from worker.loadgen.command import load_command, load_environment
from worker.loadgen.parse import EndLine, LoadLine, SecondLine, StartLine, parse_line

LOAD = """
import { parameters } from './lib/profiles.js';
import { defineLoad } from './lib/load.js';
export const { options, run } = defineLoad({
  requests: [{ path: parameters.path || '/', expect: { text: 'right' } }],
});
export default run;
"""
# The script draws each request and compares each response.
DRAWN_LOAD = """
import { parameters } from './lib/profiles.js';
import { defineLoad } from './lib/load.js';
export const { options, run } = defineLoad({
  requests: [
    {
      path: parameters.path || '/',
      headers: { Drawn: '{drawn}' },
      expect: { text: 'right' },
      draw: () => ({ drawn: Math.random() }),
    },
  ],
  sampleShare: 1,
  compare: () => null,
});
export default run;
"""
# The same, but the script draws at most 50 requests a second, however fast the machine is.
SLOWLY_DRAWN_LOAD = DRAWN_LOAD.replace(
    "draw: () => ({ drawn: Math.random() }),",
    """draw: () => {
        const until = Date.now() + 20;
        while (Date.now() < until);
        return { drawn: 'slowly' };
      },""",
)
# Every other request is a control request on average.
LOAD_WITH_CONTROLS = """
import { defineLoad } from './lib/load.js';
export const { options, run } = defineLoad({
  requests: [
    { path: '/', expect: { text: 'right' }, draw: () => ({}) },
    { share: 0.5, isControl: true, path: '/moved', expect: { status: 302 } },
  ],
});
export default run;
"""


@dataclass
class Load:
    """A load under way."""

    process: subprocess.Popen[str]

    @classmethod
    def start(
        cls, k6: Path, folder: Path, parameters: dict[str, object], environment: dict[str, str]
    ) -> "Load":
        is_summarised = environment.get("TACHO_K6_SUMMARY") == "1"
        command = load_command(str(k6), str(folder / "load.js"), is_summarised=is_summarised)
        given = {"warm_up_seconds": 0, "timeout_ms": 2000} | parameters
        variables = {"TACHO_PARAMETERS": json.dumps(given), "TACHO_SEED": "1"} | environment
        return cls.run(command, variables)

    @classmethod
    def run(cls, command: list[str], variables: dict[str, str]) -> "Load":
        process = subprocess.Popen(
            command,
            env=os.environ | load_environment(1, 1 << 30) | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return cls(process)

    def finish_after(self, seconds: int) -> "Result":
        """End the load when the line of the last second has arrived, as the worker does."""
        assert self.process.stdout is not None
        head: list[str] = []
        while not head or f'"second":{seconds - 1},' not in head[-1]:
            head.append(self.process.stdout.readline())
            assert head[-1], self.process.communicate()[1]
        self.process.send_signal(signal.SIGUSR1)
        return self.await_end("".join(head))

    def await_end(self, head: str = "") -> "Result":
        """Wait for the end, and assert that every line is readable."""
        stdout, stderr = self.process.communicate(timeout=LIMIT_S)
        lines = [parse_line(line) for line in (head + stdout).splitlines()]
        return Result(self.process.returncode, lines, stderr)


@dataclass
class Result:
    """The output of a load."""

    exit_code: int
    lines: list[LoadLine]
    stderr: str

    @property
    def start(self) -> StartLine:
        first = self.lines[0]
        assert isinstance(first, StartLine), self
        return first

    @property
    def end(self) -> EndLine:
        last = self.lines[-1]
        assert isinstance(last, EndLine), self
        return last

    @property
    def seconds(self) -> list[SecondLine]:
        """The lines in the order of arrival."""
        return [line for line in self.lines if isinstance(line, SecondLine)]

    @property
    def requests(self) -> list[int]:
        """Return the requests by second, including late lines."""
        counts: Counter[int] = Counter()
        for line in self.seconds:
            counts[line.second] += line.requests
        assert sorted(counts) == list(range(len(counts))), self
        return [counts[second] for second in sorted(counts)]

    @property
    def errors(self) -> dict[str, int]:
        """Errors by kind."""
        counts: Counter[str] = Counter()
        for line in self.seconds:
            counts.update(line.errors)
        return dict(counts)

    @property
    def latency(self) -> Histogram:
        """Return the latencies of all requests that succeeded or timed out."""
        return self.merge("latency")

    def merge(self, name: str) -> Histogram:
        """Return a histogram of the whole load."""
        return Histogram.merge_all(
            Histogram.from_varints(getattr(line, name)) for line in self.seconds
        )
