"""Compare the throughput that Tacho and wrk measure on the same service and CPUs: `make bench-wrk`.

In the process runtime, it alternates a `saturate` trial of Tacho with a fresh start of the same
build on the same CPU sets, loaded by wrk from the CPUs of the load. If the service is the limit,
both must find the same throughput. If the load generator is the limit, Tacho's verdict must report
it. The
last line is one JSON object.
"""

import argparse
import statistics
from collections import Counter
from dataclasses import dataclass, field
from uuid import uuid4

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.sources import digest_sources
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.units import Aggregation, Metric, Verdict
from backend.platform.tools import resolve_tools
from tools.benchmarks.measuring import open_stack, print_result
from tools.benchmarks.needs import require_wrk
from tools.benchmarks.programs import find_k6
from tools.benchmarks.stack import Stack
from worker.loadgen.command import ready_command
from worker.loadgen.cross_check import CrossCheckLoad, make_wrk
from worker.runtime.base import BuildRequest, CpuSets, PodRole, PodSpec, ServiceSpec
from worker.runtime.process import ProcessRuntime

_FRAMEWORKS = ("go-nethttp", "node", "fastapi")
_ROUNDS = 10
_CONNECTIONS = 50
_WARM_UP_SECONDS, _DURATION_SECONDS = 2, 5
_GOALS = {"difference_where_service_is_limit": 0.05}


@dataclass
class WrkRow:
    """The results of a framework by round."""

    tacho_rps: list[float] = field(default_factory=list)
    wrk_rps: list[float] = field(default_factory=list)
    service_cpu: list[float] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def ratios(self) -> list[float]:
        """Return the ratio of Tacho's to wrk's throughput in each round."""
        return [ours / its for ours, its in zip(self.tacho_rps, self.wrk_rps, strict=True)]

    @property
    def ratio(self) -> float:
        """The rounds' median."""
        return statistics.median(self.ratios)

    @property
    def interval(self) -> Estimate:
        """Return the geometric mean of the ratios, with its 95 % interval if there are at least two
        rounds."""
        return estimate(self.ratios, Aggregation.GEOMETRIC)

    @property
    def limit(self) -> str:
        """Return the limit by Tacho's verdicts about most trials: the generator, the host, or else
        the service.
        """
        for verdict, name in (
            (Verdict.GENERATOR_SATURATED, "generator"),
            (Verdict.HOST_BUSY, "host"),
        ):
            if self.verdicts[verdict] * 2 > len(self.tacho_rps):
                return name
        return "service"


def main() -> None:
    """Print the table and the JSON line. `met` is true if the goal is met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--frameworks", nargs="*", default=_FRAMEWORKS)
    asked = parser.parse_args()
    wrk = require_wrk()
    with open_stack("bench-wrk") as stack:
        rows = {slug: measure(stack, wrk, slug, asked.rounds) for slug in asked.frameworks}
    show(rows)


def measure(stack: Stack, wrk: str, slug: str, rounds: int) -> WrkRow:
    """Measure both in turns. The first trial only builds."""
    row = WrkRow()
    cell = {
        "framework": slug,
        "scenario": "hello",
        "profile": "saturate-quick",
        "parameters": {
            "connections": _CONNECTIONS,
            "warm_up_seconds": _WARM_UP_SECONDS,
            "duration_seconds": _DURATION_SECONDS,
        },
    }
    for number in range(rounds + 1):
        run = stack.api.await_success(stack.create_run([cell]), 600)
        if number == 0:
            continue
        (trial,) = run["trials"]
        row.tacho_rps.append(trial["metrics"][Metric.THROUGHPUT_RPS])
        row.service_cpu.append(trial["metrics"][Metric.CPU_SECONDS] / _DURATION_SECONDS)
        row.verdicts.update(verdict["verdict"] for verdict in trial["verdicts"])
        environment = stack.api.get(f"/trials/{trial['id']}")["environment"]
        cpus = {role: tuple(numbers) for role, numbers in environment["cpus"].items()}
        row.wrk_rps.append(ask_wrk(stack, wrk, slug, CpuSets(**cpus)))
    return row


def ask_wrk(stack: Stack, wrk: str, slug: str, cpus: CpuSets) -> float:
    """Return the requests per second that wrk measures on a fresh start of the same build."""
    runtime = ProcessRuntime(find_k6(), stack.layout.data, resolve_tools())
    manifest, source = Catalogue(stack.settings.services_dir).get_framework(slug)
    request = BuildRequest(
        slug, source, digest_sources([source]), manifest.docker, manifest.process
    )
    artifact = runtime.build(request, lambda _line: None, lambda: False)
    if not artifact.cached:
        raise RuntimeError(f"Tacho has measured another build of {slug} than wrk would.")
    with runtime.open_pod(PodSpec(str(uuid4()), str(uuid4()), cpus)) as pod:
        port = pod.reserve_port(8080)
        environment = manifest.scenarios["hello"].environment
        memory_mb = manifest.docker.memory_mb
        pod.start(
            ServiceSpec("service", PodRole.SERVICE, artifact, request, port, environment, memory_mb)
        )
        url = f"http://127.0.0.1:{port}"
        ready = pod.execute(ready_command("k6", f"{url}/health"), {})
        if not ready.wait(60).is_success:
            raise RuntimeError(f"{slug} does not answer: {ready.stderr}")
        load = CrossCheckLoad(
            url=f"{url}/hello",
            warm_up_seconds=_WARM_UP_SECONDS,
            duration_seconds=_DURATION_SECONDS,
            connections=_CONNECTIONS,
            threads=len(cpus.load),
        )
        generator, output = make_wrk(wrk), ""
        for command in generator.list_commands(load):
            execution = pod.execute(command, {})
            output = "\n".join(execution.lines())
            if not execution.wait(30).is_success:
                raise RuntimeError(f"wrk failed: {execution.stderr}")
    return generator.read(output)[Metric.THROUGHPUT_RPS]


def show(rows: dict[str, WrkRow]) -> None:
    """Print the table and the JSON line."""
    print(
        f"{'':14}{'Tacho req/s':>12}{'wrk req/s':>12}{'ratio':>7}{'interval':>16}"
        f"{'service CPU':>13}  verdicts"
    )
    figures = {}
    for slug, row in rows.items():
        told = ", ".join(f"{count} × {verdict}" for verdict, count in row.verdicts.items())
        tacho, wrk = statistics.median(row.tacho_rps), statistics.median(row.wrk_rps)
        cpu = statistics.median(row.service_cpu)
        ends = [end and round(end, 3) for end in (row.interval.low, row.interval.high)]
        print(
            f"{slug:14}{tacho:12,.0f}{wrk:12,.0f}{row.ratio:7.3f}"
            f"{f'{ends[0]} to {ends[1]}':>16}{cpu:13.2f}  {told}"
        )
        figures[slug] = {
            "tacho_rps": round(tacho),
            "wrk_rps": round(wrk),
            "ratio": round(row.ratio, 3),
            "interval": ends,
            "service_cpu": round(cpu, 2),
            "limit": row.limit,
            "verdicts": dict(row.verdicts),
        }
    largest = _GOALS["difference_where_service_is_limit"]
    compared = [row.ratio for row in rows.values() if row.limit == "service"]
    met = bool(compared) and all(abs(ratio - 1) <= largest for ratio in compared)
    print_result("wrk", figures, _GOALS, met=met)


if __name__ == "__main__":
    main()
