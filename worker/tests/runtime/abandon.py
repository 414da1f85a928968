"""A worker to be killed: opens a pod, runs a service and load in it, prints a line, and waits.

`python -m worker.tests.runtime.abandon docker|process <k6> <data> <service folder> <digest>
<trial id>`
"""

import sys
import time
from pathlib import Path

from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from worker.runtime.base import BuildRequest, PodSpec, Runtime
from worker.runtime.docker import DockerRuntime
from worker.runtime.docker.bases import Bases
from worker.runtime.process import ProcessRuntime
from worker.tests.runtime.bench import CPUS, start_bench

_ROOT = Path(__file__).resolve().parents[3]


def open_runtime(kind: str, k6: Path, data: Path) -> Runtime:
    """Return a runtime of this kind, as a new worker creates it."""
    if kind == "process":
        return ProcessRuntime(k6, data, {})
    return DockerRuntime(k6, Bases.load(_ROOT / "services/bases", "official"), data)


def main(arguments: list[str]) -> None:
    kind, k6, data, folder, digest, trial_id = arguments
    runtime = open_runtime(kind, Path(k6), Path(data))
    request = BuildRequest(
        slug="plain-service",
        source=SourceTree(Path(folder)),
        digest=digest,
        docker=DockerRecipe(bases=(), memory_mb=128),
        process=ProcessRecipe(requires=(), build=(), run=("./plain-service",)),
    )
    with runtime.open_pod(PodSpec("abandoned", trial_id, CPUS)) as pod:
        bench = start_bench(runtime, pod, request)
        bench.get("/fork")
        load = pod.execute(["k6", "run", "--quiet", f"{bench.scripts}/long.js"], {})
        print(next(load.lines()), flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1:])
