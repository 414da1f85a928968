"""The answer of a run: what was found and how certain it is."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from pydantic import ConfigDict, Field

from backend.api.results.answers.examples import ANSWER
from backend.core.bodies import Schema
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import Profile, find_profile
from backend.core.documents import JsonObject
from backend.core.models import Run
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.model import (
    AnswerKind,
    AnswerLine,
    AnswerMatrix,
    AnswerRow,
    AnswerWarning,
)
from backend.core.results.run_results.service import RunResults
from backend.core.statuses import RunOutcome
from backend.core.units import METRICS, Metric

_DEFAULT_TRIALS = 5


def new_run_page(plan: JsonObject, run: Run) -> str | None:
    """Return the path of the page; None if its form cannot hold the plan.

    The form has one load per scenario, for all frameworks of the scenario.

    Args:
        plan: the body of a request for a run with scenarios and profiles of this run.
    """
    if "purpose" in plan or not isinstance(plan.get("until", "ranked"), str):
        return None
    manifests = {
        cell.scenario.slug: ScenarioManifest.model_validate(cell.scenario.manifest)
        for cell in run.cells
    }
    settings: list[str] = []
    profiles: list[str] = []
    for slug in dict.fromkeys(cell["scenario"] for cell in plan["cells"]):
        cells = [cell for cell in plan["cells"] if cell["scenario"] == slug]
        profile = find_profile(manifests[slug], cells[0]["profile"])
        if profile is None or any(cell["profile"] != profile.slug for cell in cells):
            return None
        found = _find_settings(cells, profile)
        if found is None:
            return None
        profiles.append(f"{slug}.{profile.slug}")
        settings += [f"{slug}.{name}.{value}" for name, value in found.items()]
    pairs = dict.fromkeys(f"{cell['scenario']}.{cell['framework']}" for cell in plan["cells"])
    search = {
        "cells": ",".join(pairs),
        "profile": ",".join(profiles),
        "set": ",".join(settings),
        **_find_amount(plan),
        "host": plan.get("host", ""),
        "title": plan.get("title", ""),
    }
    shown = {name: value for name, value in search.items() if value}
    return f"/runs/new?{urlencode(shown, safe=',:')}"


def _find_settings(cells: Sequence[JsonObject], profile: Profile) -> dict[str, str] | None:
    """Return the values that differ from the profile's, as text; None if they need two forms."""
    values_of: dict[str, list[Mapping[str, int]]] = {}
    for cell in cells:
        values_of.setdefault(cell["framework"], []).append(cell["parameters"])
    first, *others = values_of.values()
    if any(other != first for other in others):
        return None
    found: dict[str, str] = {}
    for name, default in profile.defaults.items():
        values = [parameters[name] for parameters in first if name in parameters]
        if name == profile.sweeps:
            if values != default:
                found[name] = ":".join(map(str, values)) if len(values) > 1 else f"{values[0]}:"
            continue
        if len(set(values)) > 1:
            return None
        if values and values[0] != default:
            found[name] = str(values[0])
    return found


def _find_amount(plan: JsonObject) -> dict[str, str]:
    if "until" in plan:
        return {"until": f"ranked.{plan['max_trials']}.{plan['max_minutes']}"}
    trials = plan["trials"]
    return {} if trials == _DEFAULT_TRIALS else {"trials": str(trials)}


class AnswerRemedy(Schema):
    """The run that would be usable."""

    label: str = Field(examples=["Run again at 500 req/s"])
    plan: dict[str, object] = Field(description="Body of `POST /runs`.")
    page: str | None = Field(
        examples=["/runs/new?cells=hello.node,hello.go-nethttp&set=hello.rate_rps.500"],
        description="The page New run with this plan. Null if its form cannot hold the plan.",
    )


class Answer(Schema):
    """The findings of a run, and their certainty."""

    model_config = ConfigDict(json_schema_extra={"examples": [ANSWER]})

    kind: AnswerKind = Field(
        description="ranking: one scenario and load. scenarios: several. sweep: several values of "
        "one parameter. steps: the highest sustained rate. pending: the run has not ended."
    )
    slug: str = Field(examples=["k3v9q2mx4d"], description="Slug of the run.")
    title: str = Field(description="Title of the run.")
    headline: str
    facts: list[str] = Field(description="Scenario, load, host and day.")
    sentences: list[str] = Field(description="One to three sentences, none without a result.")
    summary: str = Field(description="The answer in one line, for lists.")
    outcome: RunOutcome | None = Field(description="Null until the run has ended.")
    reason: str | None = Field(
        description="Why the run is not usable, or its warnings in short. Null without any."
    )
    remedy: AnswerRemedy | None = Field(
        description="Null if the run is usable, and if only another service would help."
    )
    warnings: list[AnswerWarning] = Field(description="The most severe first.")
    group: str | None = Field(description="Key of the main group, whose results are the rows.")
    metric: Metric | None
    metric_title: str | None = Field(examples=["CPU per request"])
    unit: str | None = Field(examples=["µs"])
    rows: list[AnswerRow] = Field(description="In the order of the ranking.")
    lines: list[AnswerLine] = Field(description="Empty for a single group.")
    matrix: AnswerMatrix | None = Field(description="Null for a single group.")


def answer_out(results: RunResults) -> Answer:
    """Return the answer of a run."""
    run, answer = results.run, build_answer(results)
    info = METRICS[answer.metric] if answer.metric else None
    remedy = answer.remedy
    return Answer.of(
        answer,
        slug=run.slug,
        title=run.title,
        remedy=remedy and AnswerRemedy.of(remedy, page=new_run_page(remedy.plan, run)),
        metric_title=info and info.title,
        unit=info and info.unit,
    )
