"""Record the example runs: `make record-examples`.

It starts a separate Tacho, calibrates its host, reproduces the quick variant of each study with at
least 5 trials per result, and writes a file for each study to `services/studies/examples`. Then it
checks the files. It takes hours, needs no attention, and must run on an idle machine. If it is
interrupted, `RESUME=1` continues with the trial that was under way.

Exit codes: 0 all files are good, 1 a file has faults (it is written nevertheless), 2 the machine is
busy or a run failed.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.study import StudyManifest
from backend.core.config import ROOT, get_settings
from backend.core.db import unit_of_work
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS, UNSTEADY
from backend.core.operations.examples.bundle import pack_run, write_bundle
from backend.core.operations.examples.bundle_check import (
    MAX_EXCLUDED_SHARE,
    BundleFault,
    find_bundle_faults,
    find_exclusions,
    name_result,
)
from backend.core.results.calibration.plan import plan_calibration
from backend.core.runs import repository
from backend.core.statuses import StudyVariant
from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document, describe
from tools.benchmarks.example_recording import read_options, require_idle
from tools.benchmarks.stack import Stack

_CALIBRATION_SECONDS = 3_600
# A trial takes longer than its load, and the first trial of a service also builds it.
_TIME_FACTOR = 3
_BUILD_SECONDS = 7_200
_STARTED = "runs.json"
_SAMPLE_STUDY = "wrk-flavours"


@dataclass(frozen=True)
class ExampleRecording:
    """The studies to record, and the folder of the files.

    `work` keeps what was measured, and the id of the run of each study that began.
    """

    studies: Mapping[str, StudyManifest]
    trials: int
    runtime: RuntimeKind
    folder: Path
    is_sample: bool
    work: Path


def main() -> None:
    """Record the studies and print what is wrong with the files."""
    recording = _read_options()
    if not recording.is_sample:
        require_idle()
    host = get_settings().bench_host
    faults: list[BundleFault] = []
    with Stack(recording.work / "data", recording.runtime, host, durable=True) as stack:
        stack.use_here()
        if not recording.is_sample and not (recording.work / _STARTED).exists():
            _await(stack, stack.api.post("/runs", plan_calibration(host, is_full=False)), 0)
            print(f"Calibrated {host}.", flush=True)
        for slug, study in recording.studies.items():
            faults += _record(stack, slug, study, recording)
    if faults:
        print(f"{recording.work} keeps what was measured; RESUME=1 writes the files again.")
        sys.exit(f"{len(faults)} faults. Stop other programs on this machine and record again.")
    shutil.rmtree(recording.work)


def _record(
    stack: Stack, slug: str, study: StudyManifest, recording: ExampleRecording
) -> list[BundleFault]:
    """Reproduce a study, write its file and return what is wrong with it."""
    page = stack.api.get(f"/studies/{slug}")
    seconds = page["variants"]["quick"]["seconds"]
    started = recording.work / _STARTED
    runs = json.loads(started.read_text()) if started.exists() else {}
    if slug in runs:
        run = stack.api.get(f"/runs/{runs[slug]}")
    else:
        run = _start(stack, page, recording)
        started.write_text(json.dumps(runs | {slug: run["id"]}))
    ended = _await(stack, run, seconds, None if recording.is_sample else study)
    with unit_of_work() as session:
        bundle = pack_run(session, repository.get_run(session, ended["slug"]))
    path = recording.folder / f"{slug}.json.gz"
    write_bundle(bundle, path)
    found = find_bundle_faults(bundle, study)
    print(f"{path}: {path.stat().st_size:,} bytes, {len(found)} faults", flush=True)
    for fault in found:
        print(f"  {fault.result or 'the run'} {fault.detail}", flush=True)
    return found


def _start(stack: Stack, page: Document, recording: ExampleRecording) -> Document:
    """Queue the run of a study."""
    if recording.is_sample:
        cells = page["variants"]["quick"]["cells"][:1]
        short = {"warm_up_seconds": 1, "duration_seconds": 1}
        cells = [cell | {"parameters": cell["parameters"] | short} for cell in cells]
        return stack.create_run(cells, trials=recording.trials)
    body = {"variant": "quick", "trials": recording.trials, "visibility": "public"}
    return stack.api.post(f"/studies/{page['slug']}/reproduce", body)


def _await(
    stack: Stack, run: Document, seconds: float, study: StudyManifest | None = None
) -> Document:
    """Return a run that has ended; a run may have failed trials, which the check reports.

    Args:
        study: with it, recording ends at the first trial that would make the file useless.
    """
    print(f"Measuring {run['title'] or run['slug']} …", flush=True)
    limit = _TIME_FACTOR * seconds + _BUILD_SECONDS + _CALIBRATION_SECONDS
    watch = None if study is None else partial(_refuse_exclusions, study)
    ended = stack.api.await_run(run, limit, watch)
    if ended["status"] == "cancelled":
        raise RuntimeError(f"A run was cancelled: {describe(ended)}")
    return ended


def _refuse_exclusions(study: StudyManifest, run: Document) -> None:
    """Raise RuntimeError if verdicts exclude too many results and the study does not expect it."""
    cells = {
        cell["id"]: cell
        | {"framework": cell["framework"]["slug"], "scenario": cell["scenario"]["slug"]}
        for cell in run["cells"]
    }
    excluded: dict[str, str] = {}
    for trial in run["trials"]:
        cell = cells[trial["cell_id"]]
        # A single trial may be unsteady by chance. The check of the file counts them.
        for verdict in find_exclusions(cell, trial, study, StudyVariant.QUICK) - UNSTEADY:
            details = {entry["verdict"]: entry["detail"] for entry in trial["verdicts"]}
            excluded[name_result(cell)] = f"{verdict}. {details[verdict]}"
    if len(excluded) > MAX_EXCLUDED_SHARE * len(cells):
        name, detail = next(reversed(excluded.items()))
        raise RuntimeError(f"{len(excluded)} results are excluded. The last is {name}: {detail}")


def _read_options() -> ExampleRecording:
    known = {slug: study for slug, (study, _) in Catalogue(ROOT / "services").studies.items()}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", help="slugs of studies; default: all")
    given = read_options(parser, "examples", "a single short result per study")
    wanted = given.studies or ([_SAMPLE_STUDY] if given.sample else list(known))
    if unknown := set(wanted) - set(known):
        parser.error(
            f"there is no study {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        )
    return ExampleRecording(
        studies={slug: known[slug] for slug in wanted},
        trials=given.trials or ENOUGH_TRIALS,
        runtime=given.runtime,
        folder=given.folder,
        is_sample=given.sample,
        work=given.work,
    )


if __name__ == "__main__":
    main()
