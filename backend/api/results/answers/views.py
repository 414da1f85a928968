"""Answers as the API shows them."""

from dataclasses import asdict

from backend.api.results.answers.new_run import new_run_page
from backend.api.results.answers.schemas import Answer, AnswerRow
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.rows import list_rows
from backend.core.results.run_results.rankings import GroupRanking
from backend.core.results.run_results.service import RunResults
from backend.core.units import METRICS


def answer_out(results: RunResults) -> Answer:
    """Return the answer of a run."""
    run, answer = results.run, build_answer(results)
    info = METRICS[answer.metric] if answer.metric else None
    fields = asdict(answer)
    if answer.remedy is not None:
        fields["remedy"]["page"] = new_run_page(answer.remedy.plan, run)
    return Answer.model_validate(
        fields
        | {
            "slug": run.slug,
            "title": run.title,
            "metric_title": info and info.title,
            "unit": info and info.unit,
        }
    )


def rows_out(ranking: GroupRanking) -> list[AnswerRow]:
    """Return the results of a group as an answer shows them."""
    return [AnswerRow.model_validate(asdict(row)) for row in list_rows(ranking)]
