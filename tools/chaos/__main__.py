"""`python -m tools.chaos`: inject seeded faults into a separate Tacho. `make chaos` calls it.

Each round is one fault. The last line is one JSON object.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from backend.core.units import RuntimeKind
from backend.platform.layout import Layout
from tools.chaos.disks import can_mount, mount_disks
from tools.chaos.engine import OwnEngine, can_run_engine, has_docker
from tools.chaos.faults import DISK_TARGETS, ENGINE_TARGETS
from tools.chaos.installation import ChaosInstallation, NotReady
from tools.chaos.plan import Fault, list_left_out, make_plan
from tools.chaos.remains import MachineState, list_after_stop
from tools.chaos.report import show_head, show_plan, show_recovery, show_result, summarise
from tools.chaos.session import FaultResult, Session
from tools.chaos.streams import Reader
from tools.chaos.victims import TrialParts
from tools.chaos.webhooks import receive_webhooks

_RUNTIMES = {
    "process": [RuntimeKind.PROCESS],
    "docker": [RuntimeKind.DOCKER],
    "both": [RuntimeKind.PROCESS, RuntimeKind.DOCKER],
}


def main() -> int:
    """Print plan, table and summary, and return 1 if anything was violated or left out."""
    # Background jobs of a shell ignore SIGINT. Both signals end the suite and its Tacho.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    options = _parse(sys.argv[1:])
    has_disks, has_engine = can_mount(), can_run_engine()
    wanted = options.runtime or "both"
    # By default, faults in Docker are left out where no engine runs.
    is_without_docker = not options.runtime and not has_docker()
    runtimes = _RUNTIMES["process" if is_without_docker else wanted]
    without = frozenset() if has_disks else DISK_TARGETS | ENGINE_TARGETS
    without |= frozenset() if has_engine else ENGINE_TARGETS
    plan = make_plan(options.seed, options.rounds, runtimes, without)
    left_out = list_left_out(_RUNTIMES[wanted], runtimes, without)
    print(
        f"Seed {options.seed}: repeat with SEED={options.seed} ROUNDS={options.rounds}"
        + (f" RUNTIME={options.runtime}" if options.runtime else "")
    )
    if left_out:
        print(f"Left out: {', '.join(left_out)}. That needs the rights of root, and dockerd.")
    show_plan(plan)
    chosen = [fault for fault in plan if not options.only or fault.number in options.only]
    results: list[FaultResult] = []
    problems: list[str] = []
    show_head()
    for runtime in runtimes:
        own = [fault for fault in chosen if fault.runtime is runtime]
        if own:
            problems += _run_session(runtime, own, results, has_disks=has_disks)
    for problem in problems:
        print(f"VIOLATION {problem}")
    show_recovery(results)
    summary = summarise(options.seed, results, problems, left_out)
    print(json.dumps(summary))
    return 0 if summary["met"] else 1


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311
    parser.add_argument("--rounds", type=int, default=60, help="number of faults (default 60)")
    parser.add_argument(
        "--runtime", choices=sorted(_RUNTIMES), help="default: both, or process without an engine"
    )
    parser.add_argument(
        "--only",
        type=int,
        nargs="*",
        default=[],
        help="numbers of the faults of the plan to repeat",
    )
    return parser.parse_args(arguments)


def _run_session(
    runtime: RuntimeKind, faults: list[Fault], results: list[FaultResult], *, has_disks: bool
) -> list[str]:
    """Inject the faults into one installation, and return the problems of the installation as a
    whole."""
    data = Path(tempfile.mkdtemp(prefix="tacho-chaos-"))
    problems: list[str] = []
    with ExitStack() as exits:
        exits.callback(shutil.rmtree, data, ignore_errors=True)
        disks = exits.enter_context(mount_disks(data)) if has_disks else None
        is_engine_hit = any(fault.kind.target in ENGINE_TARGETS for fault in faults)
        engine = exits.enter_context(OwnEngine()) if is_engine_hit else None
        parts = exits.enter_context(closing(TrialParts(runtime, data)))
        before = MachineState.read(Layout(data), parts)
        try:
            with (
                ChaosInstallation(data, runtime, disks) as installation,
                Reader(installation) as reader,
                receive_webhooks(installation) as webhooks,
            ):
                session = Session(installation, parts, reader, webhooks, engine)
                session.prepare(fault.load for fault in faults)
                for fault in faults:
                    result = session.strike(fault)
                    results.append(result)
                    show_result(result)
                    _mark_logs(installation, result)
                problems += webhooks.list_violations()
            left = installation.list_leftovers()
            left += parts.list_remains(session.trial_ids)
            left += before.list_new(MachineState.read(Layout(data), parts), without={"file"})
            left += list_after_stop(Layout(data))
            problems += [f"left behind after Tacho was stopped: {item}" for item in left]
        except (NotReady, TimeoutError) as error:
            problems.append(str(error))
        finally:
            if problems or any(result.violations for result in results):
                _keep_logs(data)
            data.with_suffix(".up.log").unlink(missing_ok=True)
    return problems


def _mark_logs(installation: ChaosInstallation, result: FaultResult) -> None:
    """Mark the end of a fault in each log, so that its lines can be found."""
    number = result.fault.number
    for log in installation.layout.logs.glob("*.log"):
        with log.open("a") as file:
            file.write(f"--- chaos: end of fault {number}: {result.fault.kind.name}\n")


def _keep_logs(data: Path) -> None:
    artefacts = os.environ.get("TACHO_ARTEFACTS")
    folder = Path(artefacts) / "chaos" if artefacts else Path(tempfile.gettempdir())
    kept = folder / f"{data.name}-logs"
    shutil.copytree(data / "logs", kept, dirs_exist_ok=True)
    output = data.with_suffix(".up.log")
    if output.exists():
        shutil.copy(output, kept)
    print(f"Logs: {kept}")


if __name__ == "__main__":
    sys.exit(main())
