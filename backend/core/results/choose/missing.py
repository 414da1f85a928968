"""Sentences about the results that a choice lacks, and the run that measures them; pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import Profile, find_profile, list_profiles, resolve_parameters
from backend.core.documents import JsonObject
from backend.core.measurement.measurements.verdicts import (
    ENOUGH_TRIALS,
    UNSTEADY,
    find_exclusions,
)
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS
from backend.core.models import Framework, Host, Scenario
from backend.core.numbers import agree, count_of, join_words, name_in_sentence
from backend.core.results.cell_result import CellResult
from backend.core.results.choose.recommendation import CriterionRanking, Recommendation, Recommended
from backend.core.runs.progress import expected_trial_seconds
from backend.core.units import Verdict

_MOST_TRIALS = 50
_OF_LENGTH = frozenset({"warm_up_seconds", "duration_seconds", "steps", "step_rps", "step_seconds"})


class Availability(StrEnum):
    """Whether a framework has a result by a criterion, or why not.

    FEW: its result has too few trials for an interval. ELSEWHERE: only under other conditions.
    UNABLE: it does not implement the scenario.
    """

    MEASURED = "measured"
    FEW = "few"
    EXCLUDED = "excluded"
    ELSEWHERE = "elsewhere"
    MISSING = "missing"
    UNABLE = "unable"

    @property
    def words(self) -> str:
        """Return it as words for a table: `not measured`; empty for a measured result."""
        return _WORDS[self]


_WORDS = {
    Availability.MEASURED: "",
    Availability.FEW: "too few trials",
    Availability.EXCLUDED: "excluded",
    Availability.ELSEWHERE: "measured under other conditions",
    Availability.MISSING: "not measured",
    Availability.UNABLE: "not implemented",
}


# Verdicts that do not accuse the service, so that another measurement may be valid.
_REPEATABLE = UNSTEADY | {
    Verdict.HOST_DISTURBED,
    Verdict.SPEED_VARIED,
    Verdict.HOST_BUSY,
    Verdict.TOO_FEW_TRIALS,
}


@dataclass(frozen=True)
class ChoiceColumn:
    """A criterion: its load, its ranked results, and why other frameworks have none.

    Attributes:
        reference: one of the results, which has the load of all; None without results.
        availability: by framework.
        excluded: the latest result of frameworks that have only excluded ones.
    """

    ranked: CriterionRanking
    reference: CellResult | None
    availability: Mapping[str, Availability]
    excluded: Mapping[str, CellResult]

    def find(self, framework: str) -> CellResult:
        """Return the result of a framework, ranked or excluded; raise KeyError without any."""
        entry = self.ranked.find(framework)
        return self.excluded[framework] if entry is None else entry.result


@dataclass(frozen=True)
class MissingRun:
    """The run that measures what is missing.

    Attributes:
        plan: the body of the request for it.
        seconds: its longest duration, without builds.
    """

    label: str
    plan: JsonObject
    seconds: float


# How a sentence continues after the names of frameworks.
_REASONS: Mapping[Availability, Callable[[int], str]] = {
    Availability.FEW: lambda count: (
        f"{agree(count, 'has', 'have')} fewer than {MIN_INTERVAL_TRIALS} trials"
    ),
    Availability.MISSING: lambda count: f"{agree(count, 'is', 'are')} not measured",
    Availability.ELSEWHERE: lambda count: (
        f"{agree(count, 'is', 'are')} only measured under other conditions"
    ),
    Availability.UNABLE: lambda count: f"{agree(count, 'does', 'do')} not implement the scenario",
}


def describe_missing(
    columns: Sequence[ChoiceColumn],
    frameworks: Sequence[Framework],
    obstacles: Mapping[str, str],
) -> list[str]:
    """Return a sentence for each reason, with the frameworks and the criteria that it concerns.

    Args:
        obstacles: why frameworks cannot be measured here, by slug.
    """
    names = {framework.slug: name_in_sentence(framework.name) for framework in frameworks}
    found: dict[str, list[str]] = {}
    for column in columns:
        for text in _list_reasons(column, names):
            found.setdefault(text, []).append(column.ranked.criterion.words)
    blocked: dict[str, list[str]] = {}
    for slug, obstacle in obstacles.items():
        if any(_is_measurable(column, slug) for column in columns):
            blocked.setdefault(obstacle, []).append(names[slug])
    cannot = [f"{join_words(own)} cannot run here: {why}" for why, own in blocked.items()]
    reasons = [
        f"{text}." if len(criteria) == len(columns) else f"By {join_words(criteria)}, {text}."
        for text, criteria in found.items()
    ]
    return [*reasons, *cannot]


def _list_reasons(column: ChoiceColumn, names: Mapping[str, str]) -> list[str]:
    """Return such as `Quarkus is not measured` and `Spark is excluded: too many errors`."""
    reasons = []
    for reason, phrase in _REASONS.items():
        own = [names[slug] for slug, why in column.availability.items() if why is reason]
        if own:
            reasons.append(f"{join_words(own)} {phrase(len(own))}")
    excluded: dict[str, list[str]] = {}
    for slug, why in column.availability.items():
        if why is Availability.EXCLUDED:
            verdicts = join_words(column.find(slug).list_exclusions(column.ranked.metric))
            excluded.setdefault(verdicts, []).append(names[slug])
    for verdicts, own in excluded.items():
        reasons.append(f"{join_words(own)} {agree(len(own), 'is', 'are')} excluded: {verdicts}")
    return reasons


def plan_missing(
    columns: Sequence[ChoiceColumn],
    recommendation: Recommendation,
    scenario: Scenario,
    parameters: Mapping[str, int],
    host: Host | None,
    obstacles: Mapping[str, str],
) -> MissingRun | None:
    """Return the run of the missing results, or of those that cannot be told apart yet.

    Results that were measured under conditions that no longer hold are measured again, because new
    results could not be compared with them.

    Args:
        parameters: values that the loads must have, where they have the parameter.
        host: that of the known results, if its workers can take the run.
        obstacles: why frameworks cannot be measured here, by slug. They are left out.
    """
    manifest = ScenarioManifest.model_validate(scenario.manifest)
    cells: list[JsonObject] = []
    trials, is_new, where = ENOUGH_TRIALS, True, ""
    for column in columns:
        slugs = [
            slug
            for slug in column.availability
            if slug not in obstacles and _is_measurable(column, slug)
        ]
        measured = [entry.result for entry in column.ranked.entries]
        is_current = all(_is_current(result, host, scenario) for result in measured)
        if slugs and not is_current:
            slugs += [result.framework.slug for result in measured]
            is_new, where = False, " here"
        elif not slugs and _is_open(column, recommendation, is_current=is_current):
            # Nothing else is worth as many trials.
            is_new, where = False, "" if is_current else " here"
            trials = min(recommendation.trials_needed or ENOUGH_TRIALS, _MOST_TRIALS)
            cells = _list_cells(
                recommendation.best, column, manifest, parameters, is_current=is_current
            )
            break
        cells += _list_cells(slugs, column, manifest, parameters, is_current=is_current)
    cells = [
        cell
        for place, cell in enumerate(cells)
        if cell not in cells[:place] and cell["framework"] not in obstacles
    ]
    if not cells:
        return None
    count = len(cells)
    what = count_of(count, "missing result") if is_new else count_of(count, "result")
    plan: JsonObject = {"title": f"Choose: {scenario.name}", "cells": cells, "trials": trials}
    if host is not None:
        plan["host"] = host.name
    seconds = trials * sum(expected_trial_seconds(cell["parameters"]) for cell in cells)
    return MissingRun(f"Measure {what}{where}", plan, seconds)


def _is_measurable(column: ChoiceColumn, framework: str) -> bool:
    """Return whether a run could give a framework a valid result by a criterion."""
    why = column.availability[framework]
    if why is Availability.EXCLUDED:
        result = column.find(framework)
        verdicts = find_exclusions(result.verdicts, column.ranked.metric)
        return set(verdicts) <= _REPEATABLE
    return why in (Availability.FEW, Availability.MISSING, Availability.ELSEWHERE)


def _is_current(result: CellResult, host: Host | None, scenario: Scenario) -> bool:
    """Return whether a new result of the host could be compared with this one."""
    return (
        host is not None
        and host.id == result.summary.host_id
        and host.fingerprint_digest == result.environment.get("host_digest")
        and host.harness == result.environment.get("harness")
        and scenario.digest == result.summary.scenario_digest
    )


def _is_open(column: ChoiceColumn, recommendation: Recommendation, *, is_current: bool) -> bool:
    """Return whether a run might decide what this criterion has left open.

    Args:
        is_current: whether the run would have the conditions of the known results.
    """
    return (
        recommendation.outcome is Recommended.UNDECIDED
        and recommendation.decided_by is column.ranked.criterion
        and (recommendation.trials_needed is not None or not is_current)
    )


def _list_cells(
    frameworks: Sequence[str],
    column: ChoiceColumn,
    scenario: ScenarioManifest,
    parameters: Mapping[str, int],
    *,
    is_current: bool,
) -> list[JsonObject]:
    """Return the cells of these frameworks, with the load of the column's results.

    Without results that new ones can be compared with, warm-up and window are those of the profile:
    shorter ones may be the reason for an exclusion.
    """
    used = column.reference
    profile = (
        _find_profile(scenario, column.ranked)
        if used is None
        else find_profile(scenario, used.summary.profile)
    )
    if profile is None:
        return []
    values = {} if used is None else used.summary.parameters
    if not column.ranked.entries or not is_current:
        values = {name: value for name, value in values.items() if name not in _OF_LENGTH}
    known = profile.schema["properties"]
    requested = {name: value for name, value in {**values, **parameters}.items() if name in known}
    resolved, problems = resolve_parameters(profile, requested)
    if problems:
        return []
    return [
        {
            "framework": framework,
            "scenario": scenario.slug,
            "profile": profile.slug,
            "parameters": resolved[0],
        }
        for framework in frameworks
    ]


def _find_profile(scenario: ScenarioManifest, column: CriterionRanking) -> Profile | None:
    """Return the shortest profile whose load answers the criterion best; None without any."""
    kinds = list(column.criterion.metrics)
    fitting = [profile for profile in list_profiles(scenario) if profile.kind in kinds]
    return min(fitting, key=lambda profile: kinds.index(profile.kind), default=None)
