"""The answer of each kind of run, as a table that people read."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunGoal, RunRequest
from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.models import Cell
from backend.core.numbers import use_plain_spaces
from backend.core.results.goals.service import continue_runs
from backend.core.runs import service
from backend.core.runs.repository import get_run
from backend.core.units import Metric, Verdict
from backend.tests.answers import compare_with_file, document
from backend.tests.factories import first_workspace
from backend.tests.measured_runs import Figures, compare_two, measure_run

TABLE = Path(__file__).with_name("run-sentences.md")
CPU, P99, RPS, RATE = (
    Metric.CPU_US_PER_REQUEST,
    Metric.LATENCY_P99_MS,
    Metric.THROUGHPUT_RPS,
    Metric.SUSTAINED_RPS,
)
STEPS = {"first_rps": 100, "step_rps": 100, "steps": 10}
Warn = Callable[[Cell], Sequence[Verdict]]


def cells(*loads: tuple[Any, ...], frameworks: str = "node go-nethttp express") -> Any:
    return [CellRequest(slug, *load) for load in loads for slug in frameworks.split()]


def cpu(**by_framework: Any) -> Callable[[Cell], Figures]:
    """Return figures by framework: one, or one for each scenario or rate."""

    def measure(cell: Cell) -> Figures:
        found = by_framework[cell.framework.slug.replace("-", "_")]
        if isinstance(found, dict):
            found = found.get(cell.scenario.slug) or found.get(cell.parameters.get("rate_rps"))
        return {CPU: found}

    return measure


def all_as(metric: Metric, **by_framework: float) -> Callable[[Cell], Figures]:
    return lambda cell: {metric: by_framework[cell.framework.slug.replace("-", "_")]}


def only(*slugs: str, verdict: Verdict = Verdict.TOO_MANY_ERRORS) -> Warn:
    return lambda cell: [verdict] if cell.framework.slug in slugs else []


class Case:
    """A kind of run: its name, cells, figures, verdicts, and the rest of its request."""

    def __init__(
        self,
        name: str,
        cells: list[CellRequest],
        measure: Callable[[Cell], Figures],
        warn: Warn = lambda _: (),
        noise: float = 0.5,
        **request: Any,
    ) -> None:
        self.name = name
        self.measure = measure
        self.warn = warn
        self.noise = noise
        self.request = RunRequest(cells=cells, **{"trials": 5} | request)


HELLO, SLOW, RATES = ("hello",), ("slow-upstream",), [{"rate_rps": 100}, {"rate_rps": 500}]
SWEEP = [("hello", "rate-quick", rate) for rate in RATES]
TWO = "node go-nethttp"
# A framework for each verdict that excludes nothing.
WARNED = dict(
    zip(
        ("node", "go-nethttp", "express", "fastapi", "spring-mvc", "micronaut"),
        sorted(set(Verdict) - EXCLUDING - {Verdict.OK, Verdict.TOO_FEW_TRIALS}),
        strict=True,
    )
)
CASES = [
    Case("one scenario", cells(HELLO), cpu(node=120, go_nethttp=60, express=180)),
    Case("two results", cells(HELLO, frameworks=TWO), cpu(node=120, go_nethttp=60)),
    Case("one result", cells(HELLO, frameworks="node"), cpu(node=120)),
    Case(
        "few trials on a busy host",
        cells(HELLO, frameworks=TWO),
        cpu(node=120, go_nethttp=60),
        only(*TWO.split(), verdict=Verdict.HOST_BUSY),
        trials=4,
    ),
    Case(
        "each warning that excludes nothing",
        cells(HELLO, frameworks=" ".join(WARNED)),
        lambda cell: {CPU: 60 + 10 * cell.position},
        lambda cell: [WARNED[cell.framework.slug]],
    ),
    Case(
        "a rate missed by little on a busy host",
        cells(HELLO, frameworks=TWO),
        lambda _: {CPU: 60, RPS: 970},
        lambda _: [Verdict.GENERATOR_SATURATED, Verdict.HOST_BUSY],
    ),
    Case("two lead", cells(HELLO), cpu(node=60, go_nethttp=60, express=180)),
    Case("all equivalent", cells(HELLO), cpu(node=60, go_nethttp=60, express=60)),
    Case(
        "two cannot be told apart", cells(HELLO), cpu(node=60, go_nethttp=60, express=90), noise=20
    ),
    Case(
        "none can be told apart",
        cells(HELLO, frameworks=TWO),
        cpu(node=60, go_nethttp=60),
        noise=20,
    ),
    Case(
        "throughput",
        cells(("hello", "saturate-quick")),
        all_as(RPS, node=9000, go_nethttp=18000, express=4500),
    ),
    Case("some excluded", cells(HELLO), cpu(node=120, go_nethttp=60, express=30), only("express")),
    Case(
        "all but one excluded",
        cells(HELLO),
        cpu(node=120, go_nethttp=60, express=30),
        only("node", "express"),
    ),
    Case(
        "all excluded",
        cells(HELLO),
        cpu(node=120, go_nethttp=60, express=30),
        only("node", "express", "go-nethttp", verdict=Verdict.NEVER_STEADY),
    ),
    Case("too few trials", cells(HELLO), cpu(node=120, go_nethttp=60, express=180), trials=2),
    Case(
        "sweep, one leads",
        cells(*SWEEP),
        cpu(node={100: 120, 500: 130}, go_nethttp={100: 60, 500: 60}, express={100: 200, 500: 220}),
    ),
    Case(
        "sweep, the order changes",
        cells(*SWEEP),
        cpu(node={100: 60, 500: 90}, go_nethttp={100: 80, 500: 70}, express={100: 200, 500: 220}),
    ),
    Case("sweep, all equivalent", cells(*SWEEP), cpu(node=60, go_nethttp=60, express=60)),
    Case(
        "sweep, all excluded",
        cells(*SWEEP, frameworks=TWO),
        cpu(node=60, go_nethttp=90),
        only("node", "go-nethttp", verdict=Verdict.NEVER_STEADY),
    ),
    Case(
        "scenarios, one leads",
        cells(HELLO, SLOW),
        cpu(node=60, go_nethttp={"hello": 138, "slow-upstream": 162}, express=200),
    ),
    Case(
        "scenarios, each has another best",
        cells(HELLO, SLOW),
        cpu(
            node={"hello": 60, "slow-upstream": 90},
            go_nethttp={"hello": 90, "slow-upstream": 60},
            express=200,
        ),
    ),
    Case(
        "scenarios, one is equivalent",
        cells(HELLO, SLOW, frameworks=TWO),
        cpu(node={"hello": 60, "slow-upstream": 60}, go_nethttp={"hello": 90, "slow-upstream": 60}),
    ),
    Case("scenarios, all equivalent", cells(HELLO, SLOW), cpu(node=60, go_nethttp=60, express=60)),
    Case(
        "scenarios, two metrics",
        cells(HELLO, ("hello", "saturate-quick")),
        lambda cell: {
            CPU: {"node": 120, "express": 180}.get(cell.framework.slug, 60),
            RPS: {"node": 9000, "express": 4500}.get(cell.framework.slug, 18000),
        },
    ),
    Case(
        "loads, each has another best",
        cells(("hello", "rate-quick"), ("hello", "saturate-quick"), frameworks=TWO),
        lambda cell: {
            CPU: 60 if cell.framework.slug == "node" else 90,
            RPS: 9000 if cell.framework.slug == "node" else 18000,
        },
    ),
    Case(
        "steps",
        cells(("hello", "steps-quick", STEPS), frameworks=TWO),
        all_as(RATE, node=300, go_nethttp=500),
    ),
    Case(
        "steps, one passes all",
        cells(("hello", "steps-quick", STEPS), frameworks=TWO),
        all_as(RATE, node=300, go_nethttp=1000),
    ),
    Case(
        "steps, two pass all",
        cells(("hello", "steps-quick", STEPS)),
        all_as(RATE, node=1000, go_nethttp=1000, express=300),
    ),
    Case(
        "sweeps of scenarios, and steps that two pass",
        cells(
            *SWEEP,
            *(("slow-upstream", "rate-quick", rate) for rate in RATES),
            ("hello", "steps-quick", STEPS),
        ),
        lambda cell: (
            {RATE: 300 if cell.framework.slug == "express" else 1000}
            if "steps" in cell.parameters
            else {CPU: 190 if cell.framework.slug == "express" else 60}
        ),
    ),
    Case(
        "goal",
        cells(HELLO, frameworks=TWO),
        cpu(node=120, go_nethttp=60),
        trials=None,
        goal=RunGoal(max_trials=5, max_minutes=60),
    ),
]


def test_every_kind_of_run_has_a_headline_and_sentences(client: TestClient, host_id: UUID) -> None:
    rows = rows_of_pages(client, host_id)
    for case in CASES:
        rows += rows_of(client, host_id, case)

    head = ["# Sentences of runs", "", "| kind | shown | text |", "| --- | --- | --- |"]
    compare_with_file(TABLE, "\n".join([*head, *rows, ""]))


def rows_of_pages(client: TestClient, host_id: UUID) -> list[str]:
    """Return what a leaderboard and a comparison show about a run of two results."""
    with unit_of_work() as session:
        run = compare_two(session, host_id)
        ids = [str(cell.id) for cell in run.cells]
    board = "/api/v1/leaderboard?scenario=hello&metric=cpu_us_per_request"
    composite = "/api/v1/leaderboard?scenario=hello&weights=cpu_us_per_request:2,boot_ms:1"
    compared = document(client.get("/api/v1/comparisons", params={"cells": ids}))
    pages = {
        "leaderboard": document(client.get(board))["sentences"],
        "composite": document(client.get(composite))["sentences"],
        "comparison of two": compared["sentences"]["cpu_us_per_request"],
        "comparison by throughput": compared["sentences"]["throughput_rps"],
        "comparison by latency": compared["sentences"]["latency_p99_ms"],
    }
    return [
        f"| {name} | sentence | {use_plain_spaces(text)} |"
        for name, texts in pages.items()
        for text in texts
    ]


def rows_of(client: TestClient, host_id: UUID, case: Case) -> list[str]:
    with unit_of_work() as session:
        run = service.create_run(session, first_workspace(session), case.request)
        found = get_run(session, str(run.id))
        measured = measure_run(
            session, host_id, found, case.measure, case.warn, noise_percent=case.noise
        )
        slug = measured.slug
    continue_runs()
    answer = document(client.get(f"/api/v1/runs/{slug}/answer"))
    if case.request.goal is None:
        # The outcome of a run with a goal is stored when it is finalized.
        item = document(client.get("/api/v1/runs"))["items"][0]
        assert (item["outcome"], item["summary"]) == (answer["outcome"], answer["summary"])
    outcome = f"{answer['kind']}, {answer['outcome']}"
    texts = [("headline", answer["headline"]), ("outcome", outcome)]
    if answer["summary"] != answer["headline"]:
        texts.append(("summary", answer["summary"]))
    if answer["outcome"] == "not_usable":
        texts.append(("reason", answer["reason"]))
    # The last fact is the date of this test.
    texts.append(("facts", ", ".join(answer["facts"][:-1])))
    texts += [("sentence", text) for text in answer["sentences"]]
    texts += [("line", f"{line['label']}: {line['sentence']}") for line in answer["lines"][:3]]
    texts += [("leaders", " and ".join(line["leaders"])) for line in answer["lines"][:3]]
    texts += [("row", show_row(row)) for row in answer["rows"]]
    texts += [("matrix", text) for text in show_matrix(answer)]
    for warning in answer["warnings"]:
        texts.append(("warning", " ".join([warning["summary"], *warning["details"]])))
    if answer["remedy"]:
        texts.append(("remedy", answer["remedy"]["label"]))
    goal = document(client.get(f"/api/v1/runs/{slug}"))["goal"]
    texts += [("goal", goal["sentence"])] if goal else []
    return [f"| {case.name} | {kind} | {use_plain_spaces(text)} |" for kind, text in texts]


def show_row(row: dict[str, Any]) -> str:
    figures = " ".join(filter(None, [row["value"], row["interval"]]))
    return f"{row['rank'] or '–'}. {row['framework']}: {figures}; {row['comparison']}"


def show_matrix(answer: dict[str, Any]) -> list[str]:
    """Return the rows of the matrix, with the best values in bold."""
    if not answer["matrix"]:
        return []
    columns = [column["label"] for column in answer["matrix"]["columns"]]
    return [
        f"{row['framework']}: "
        + ", ".join(
            f"{column} " + (f"**{cell['text']}**" if cell["is_best"] else cell["text"])
            for column, cell in zip(columns, row["cells"], strict=True)
        )
        for row in answer["matrix"]["rows"]
    ]
