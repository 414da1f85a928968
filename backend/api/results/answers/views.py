"""Answers as the API shows them."""

from backend.api.results.answers.new_run import new_run_page
from backend.api.results.answers.schemas import Answer, AnswerRemedy, AnswerRow
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.rows import list_rows
from backend.core.results.run_results.rankings import GroupRanking
from backend.core.results.run_results.service import RunResults
from backend.core.units import METRICS


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


def rows_out(ranking: GroupRanking) -> list[AnswerRow]:
    """Return the results of a group as an answer shows them."""
    return [AnswerRow.of(row) for row in list_rows(ranking)]
