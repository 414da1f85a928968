"""Build the answer of a run from its results; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from backend.core.models import Run
from backend.core.numbers import count_of
from backend.core.results.run_results.answer.calibration import answer_calibration
from backend.core.results.run_results.answer.confirmation import answer_confirmation
from backend.core.results.run_results.answer.group import GroupAnswer, divide_group
from backend.core.results.run_results.answer.headline import (
    NO_RESULT,
    describe_trials,
    list_sentences,
    make_headline,
    summarise,
)
from backend.core.results.run_results.answer.load import (
    label_blocks,
    label_groups,
    name_load,
    name_span,
)
from backend.core.results.run_results.answer.model import (
    AnswerKind,
    AnswerLine,
    RunAnswer,
)
from backend.core.results.run_results.answer.outcome import explain, find_outcome, lower_start
from backend.core.results.run_results.answer.remedy import find_remedy, find_steady_remedy
from backend.core.results.run_results.answer.rows import list_rows, make_matrix
from backend.core.results.run_results.answer.scenarios import (
    answer_block,
    list_scenario_sentences,
    make_scenarios_headline,
)
from backend.core.results.run_results.answer.steps import (
    list_step_lines,
    list_step_sentences,
    make_steps_headline,
)
from backend.core.results.run_results.answer.sweep import answer_sweep
from backend.core.results.run_results.answer.warnings import list_warnings, shorten
from backend.core.results.run_results.goal_sentence import describe_run_goal
from backend.core.results.run_results.service import RunResults
from backend.core.runs.status import RUN_ENDS
from backend.core.statuses import RunOutcome, RunStatus
from backend.core.units import ProfileKind, Purpose

_MOST_SCENARIOS = 2


@dataclass(frozen=True)
class _Parts:
    """The fields that differ between the kinds of answers."""

    kind: AnswerKind
    headline: str
    sentences: Sequence[str]
    lines: Sequence[AnswerLine] = ()
    summary: str | None = None


class _Groups:
    """The groups of a run as its blocks show them."""

    def __init__(self, results: RunResults) -> None:
        self.blocks = results.blocks
        rankings = {ranking.group.key: ranking for ranking in results.rankings}
        self.by_block: list[list[GroupAnswer]] = [
            [divide_group(rankings[group.key]) for group in block.groups] for block in self.blocks
        ]

    @cached_property
    def all(self) -> list[GroupAnswer]:
        return [group for groups in self.by_block for group in groups]

    @cached_property
    def labels(self) -> list[str]:
        return label_groups(self.blocks)

    @cached_property
    def cell_labels(self) -> dict[UUID, str]:
        """Return the name of each result by the id of its cell."""
        return {
            result.cell.id: result.name if len(self.all) == 1 else f"{result.name} ({label})"
            for group, label in zip(self.all, self.labels, strict=True)
            for result in group.ranking.group.cells
        }


def build_answer(results: RunResults) -> RunAnswer:
    """Return the answer of a run."""
    run = results.run
    if run.status not in RUN_ENDS or not results.groups:
        return _answer_pending(results)
    groups = _Groups(results)
    warnings = list_warnings(run, results.cells, groups.cell_labels)
    if run.purpose == Purpose.CALIBRATION:
        return answer_calibration(results, _list_facts(results), warnings)
    if run.purpose == Purpose.CONFIRMATION:
        return answer_confirmation(results, _list_facts(results), warnings)
    parts = _answer_groups(groups)
    main = groups.all[0]
    answer = RunAnswer(
        kind=parts.kind,
        headline=parts.headline,
        facts=_list_facts(results),
        sentences=_add_goal(parts.sentences, groups, run),
        outcome=find_outcome(groups.all, warnings),
        summary=parts.summary or parts.headline,
        reason=shorten(warnings),
        warnings=warnings,
        group=main.ranking.group.key,
        metric=main.ranking.metric,
        rows=list_rows(main.ranking),
        lines=parts.lines,
        matrix=make_matrix(groups.all, groups.labels),
    )
    if answer.outcome is not RunOutcome.NOT_USABLE:
        return replace(answer, remedy=find_steady_remedy(results.cells, run))
    reason = explain(groups.all, run)
    return replace(
        answer,
        reason=reason,
        remedy=find_remedy(groups.all, run),
        summary=f"{answer.headline}: {lower_start(reason)}".rstrip("."),
    )


def _answer_groups(groups: _Groups) -> _Parts:
    if len(groups.blocks) > 1:
        labels = label_blocks(groups.blocks)
        blocks = list(map(answer_block, groups.blocks, groups.by_block, labels))
        usable = [group for group in groups.all if group.is_usable]
        return _Parts(
            AnswerKind.SCENARIOS,
            make_scenarios_headline(blocks),
            [*list_scenario_sentences(blocks), *([describe_trials(usable)] if usable else [])],
            [block.line for block in blocks],
        )
    (block,), (members,) = groups.blocks, groups.by_block
    if block.parameter is not None:
        swept = answer_sweep(block, members)
        trials = [swept.trials] if swept.trials else []
        return _Parts(AnswerKind.SWEEP, swept.headline, [*swept.sentences, *trials], swept.lines)
    (group,) = members
    if block.groups[0].kind is ProfileKind.STEPS:
        lines = list_step_lines(group)
        sentences = list_sentences(group)
        return _Parts(
            AnswerKind.STEPS,
            make_steps_headline(group),
            [
                *(sentences[:1] if len(group.leaders) > 1 else []),
                *list_step_sentences(group, lines),
                *sentences[-1:],
            ],
            lines,
        )
    return _Parts(
        AnswerKind.RANKING, make_headline(group), list_sentences(group), (), summarise(group)
    )


def _add_goal(sentences: Sequence[str], groups: _Groups, run: Run) -> Sequence[str]:
    """Replace the number of trials by the reason why a run ended without reaching its goal."""
    ended = None if run.has_reached_goal else describe_run_goal(run)
    if ended is None:
        return sentences
    usable = [group for group in groups.all if group.is_usable]
    counted = describe_trials(usable) if usable else None
    return [*(sentence for sentence in sentences if sentence != counted), ended]


def _answer_pending(results: RunResults) -> RunAnswer:
    run = results.run
    total = len(run.trials)
    headline = (
        "Waiting for the bench host"
        if run.status == RunStatus.QUEUED
        else f"{results.trials_finished} of {count_of(total, 'trial')} finished"
    )
    if run.status in RUN_ENDS:
        headline = NO_RESULT
    return RunAnswer(
        kind=AnswerKind.PENDING,
        headline=headline,
        facts=_list_facts(results),
        sentences=[],
        outcome=RunOutcome.NOT_USABLE if run.status in RUN_ENDS else None,
        summary=headline,
    )


def _list_facts(results: RunResults) -> list[str]:
    """Return scenario, load, host and day."""
    run, blocks = results.run, results.blocks
    names = list(dict.fromkeys(block.groups[0].scenario.name for block in blocks))
    facts = names if len(names) <= _MOST_SCENARIOS else [f"{len(names)} scenarios"]
    if len(results.groups) == 1:
        facts = [*facts, name_load(results.groups[0])]
    elif len(blocks) == 1:
        facts = [*facts, name_span(blocks[0])]
    day = run.finished_at or run.created_at
    return [*facts, run.host.name, f"{day:%-d\u00a0%b\u00a0%Y}"]
