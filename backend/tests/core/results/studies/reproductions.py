"""A study of four systems, and results of its loads, for tests of claims."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_claims import Check, PublishedClaim
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.results.studies.claims import judge_claim
from backend.core.results.studies.findings import CheckResult, ClaimFinding, FindingCause
from backend.core.results.studies.measured import MeasuredCell, MeasuredStep, Reproduction
from backend.core.statuses import StudyVariant
from backend.core.units import Metric, ProfileKind, Verdict

NAMES = ("One", "Two", "Three", "Four")
QUICK, FULL = StudyVariant.QUICK, StudyVariant.FULL
THROUGHPUT = Metric.THROUGHPUT_RPS


def study(**table: object) -> StudyManifest:
    """Return a study of four systems under one load, with a table of throughputs."""
    rows = [
        {"head": name, "system": name, "cells": [printed]}
        for name, printed in zip(NAMES, ("100", "200", "300", ""), strict=True)
    ]
    whole = {
        "slug": "table",
        "title": "A table",
        "source_location": "Results",
        "document_table": 1,
        "experiment": "load",
        "metric": THROUGHPUT,
        "unit": "req/s",
        "columns": [{"head": "RPS"}],
        "rows": rows,
    }
    return StudyManifest.model_validate(
        {
            "slug": "study",
            "name": "A study",
            "description": "One of the tests.",
            "source": {"title": "A title", "kind": "Blog entry", "document": "document.txt"},
            "trials": {"quick": 2, "full": 5},
            "systems": [{"name": name, "framework": name.lower()} for name in NAMES],
            "experiments": {
                "load": {"name": "Load", "scenario": "hello", "profile": "saturate"},
                "steps": {"name": "Steps", "scenario": "hello", "profile": "steps"},
                "limit": {
                    "name": "Load with a limit",
                    "scenario": "hello",
                    "profile": "saturate",
                    "quick": {"parameters": {"timeout_ms": 500}},
                },
            },
            "tables": [whole | table],
        }
    )


def cell(
    framework: str,
    values: list[float],
    *,
    metric: Metric = THROUGHPUT,
    excluded: bool = False,
    steps: Mapping[int, MeasuredStep] | None = None,
    instrument: InstrumentError = NO_ERROR,
) -> MeasuredCell:
    """Return a cell of the load whose trials have these values."""
    return MeasuredCell(
        cell_id=uuid4(),
        framework=framework,
        scenario="hello",
        profile="saturate-quick",
        kind=ProfileKind.SATURATE,
        parameters={"connections": 50},
        values={metric: dict(enumerate(values, 1))} if values else {},
        trials_succeeded=len(values),
        trials_open=0,
        failure=None,
        verdicts=[Verdict.SERVER_IDLE] if excluded else [],
        steps=steps or {},
        instrument=instrument,
    )


def decide(
    check: dict[str, object],
    *cells: MeasuredCell,
    variant: StudyVariant = QUICK,
    of: StudyManifest | None = None,
) -> CheckResult:
    """Return the deciding result of a claim of a study with this check."""
    whole = {"experiment": "load", "metric": THROUGHPUT, "of": "One"} | check
    claim = PublishedClaim(
        words="So it is.", source_location="Results", checks=(Check.model_validate(whole),)
    )
    measured = [replace(each, profile=each.profile.replace(QUICK, variant)) for each in cells]
    result = judge_claim(claim, of or study(), Reproduction(variant, measured))
    assert result.deciding is not None
    assert result.deciding.finding is result.finding
    return result.deciding


def judge(check: dict[str, object], *cells: MeasuredCell) -> ClaimFinding:
    """Return the finding of a claim with this check."""
    return decide(check, *cells).finding


def explain(check: dict[str, object], *cells: MeasuredCell) -> FindingCause | None:
    """Return the cause of a claim with this check."""
    return decide(check, *cells).cause


def stepped(framework: str, sustained: list[float], passed: int = 5) -> MeasuredCell:
    """Return a cell of steps 100, 300, … 900 req/s; trials without a value failed at 100."""
    measured = cell(framework, sustained, metric=Metric.SUSTAINED_RPS)
    load = {"first_rps": 100, "step_rps": 200, "steps": 5, "step_seconds": 3}
    load |= {"success_percent": 90, "timeout_ms": 3000}
    steps = {100: MeasuredStep(latency_mean_ms={1: 1.0}, passed=bool(sustained))}
    return replace(
        measured,
        profile="steps-quick",
        kind=ProfileKind.STEPS,
        parameters=load,
        steps=steps,
        trials_succeeded=passed,
    )


RATE = {"experiment": "steps", "metric": Metric.SUSTAINED_RPS}
ONE = cell("one", [100, 101, 102, 100, 101])
TWO = cell("two", [200, 202, 203, 201, 202])
