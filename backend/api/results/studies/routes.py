"""GET /studies, /studies/{slug}; POST /studies/{slug}/reproduce."""

from collections.abc import Collection, Mapping
from typing import Annotated

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.addresses import run_page
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.results.studies.schemas import (
    CheckOut,
    ClaimOut,
    ExperimentOut,
    FigureComparisonOut,
    MeasurementOut,
    OrderOut,
    ReproduceIn,
    StudyListItem,
    StudyOut,
    StudyRun,
    SystemUnderTestOut,
    TableCell,
    TableOut,
    TableRow,
    VariantOut,
)
from backend.api.runs.deps import QUEUED
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_item
from backend.api.schemas import FrameworkRef, Name, Page
from backend.api.views import metric_summary
from backend.core.catalog import repository as catalog
from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_claims import PublishedClaim
from backend.core.catalog.study_plan import Plan
from backend.core.errors import NotFound
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS
from backend.core.models import Framework, Run
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.studies import repository, service
from backend.core.results.studies.claims import judge_claim
from backend.core.results.studies.findings import CheckResult, ClaimResult, write_lead
from backend.core.results.studies.measurement import Measurement
from backend.core.results.studies.service import estimate_seconds
from backend.core.results.studies.table_comparison import (
    FigureComparison,
    OrderComparison,
    TableComparison,
    compare_orders_across,
    compare_table,
)
from backend.core.runs import repository as runs
from backend.core.runs.visibility import may_open
from backend.core.statuses import StudyVariant, Visibility
from backend.core.units import METRICS, Metric


def study_item(
    study: StudyManifest, frameworks: Mapping[str, Framework], reproductions: int
) -> StudyListItem:
    """Return a study as in a list."""
    results = [table for table in study.tables if not table.setting]
    return StudyListItem.of(
        study,
        authors=study.source.authors,
        year=study.source.year,
        kind=study.source.kind,
        # Two systems may have the same framework.
        frameworks=list({ref.slug: ref for ref in _refs(study, frameworks).values()}.values()),
        tables=len(results),
        figures=study.figures_total,
        claims=len(study.claims),
        reproductions=reproductions,
    )


def study_run(run: Run) -> StudyRun:
    return StudyRun.of(run, permalink=run_page(run.slug), cells=len(run.cells))


def systems_out(
    study: StudyManifest, frameworks: Mapping[str, Framework]
) -> list[SystemUnderTestOut]:
    refs = _refs(study, frameworks)
    return [
        SystemUnderTestOut.of(
            system,
            framework=refs.get(system.name),
            wanted=None if system.name in refs else system.framework,
        )
        for system in study.systems
    ]


def variant_out(plan: Plan, trials: int) -> VariantOut:
    return VariantOut.of(plan, trials=trials, seconds=estimate_seconds(plan, trials))


def table_out(comparison: TableComparison) -> TableOut:
    table = comparison.table
    return TableOut.of(
        table,
        columns=[column.head for column in table.columns],
        rows=[
            TableRow(
                head=row.head,
                cells=[
                    TableCell.of(cell, figures=[_figure_out(figure) for figure in cell.figures])
                    for cell in cells
                ],
            )
            for row, cells in zip(table.rows, comparison.cells, strict=True)
        ],
        orders=[order_out(order) for order in comparison.orders],
    )


def claim_out(claim: PublishedClaim, result: ClaimResult) -> ClaimOut:
    return ClaimOut.of(
        claim,
        finding=result.finding,
        cause=result.cause,
        deciding=_check_out(result.deciding) if result.deciding else None,
        checks=[_check_out(check) for check in result.checks],
    )


def _check_out(check: CheckResult) -> CheckOut:
    return CheckOut.of(check, unit="×" if check.is_ratio else METRICS[check.metric].unit)


def _refs(study: StudyManifest, frameworks: Mapping[str, Framework]) -> dict[str, FrameworkRef]:
    """System under test to the framework that stands for it, of those in the catalogue."""
    return {
        system: FrameworkRef.of(frameworks[slug])
        for system, slug in study.frameworks.items()
        if slug in frameworks
    }


def _figure_out(comparison: FigureComparison) -> FigureComparisonOut:
    printed_unit = comparison.figure.unit if comparison.figure else None
    unit = METRICS[comparison.metric].unit if comparison.metric else printed_unit
    return FigureComparisonOut.of(
        comparison, unit=unit, measured=_measurement_out(comparison.metric, comparison.measured)
    )


def _measurement_out(metric: Metric | None, measured: Measurement) -> MeasurementOut:
    summary = metric_summary(metric, measured.estimate) if metric and measured.estimate else None
    return MeasurementOut.of(measured, summary=summary)


def order_out(order: OrderComparison) -> OrderOut:
    return OrderOut.of(order, direction=METRICS[order.metric].direction, n=len(order.systems))


router = NounRouter(prefix="/studies", tags=["studies"])

_MOST_RUNS = 50
StudySlug = Annotated[Name, Path(examples=["jvm-backend-services"])]


@router.get("", responses=problems(422), dependencies=[needs(Permission.OPEN)])
def list_studies(session: SessionDep, viewer: ViewerDep) -> Page[StudyListItem]:
    """Return the published studies that can be reproduced here."""
    counts = repository.count_reproductions(session, viewer)
    found = service.list_studies(session)
    wanted = {slug for study in found for slug in study.frameworks.values()}
    frameworks = catalog.find_frameworks(session, wanted, names_only=True)
    return Page(items=[study_item(study, frameworks, counts.get(study.slug, 0)) for study in found])


@router.get("/{slug}", responses=problems(404, 422), dependencies=[needs(Permission.OPEN)])
def get_study(
    session: SessionDep,
    viewer: ViewerDep,
    slug: StudySlug,
    run: Annotated[
        Name | None,
        Query(
            description="The reproduction to compare with. Default: the newest that has results."
        ),
    ] = None,
) -> StudyOut:
    """Return the tables of a study with the numbers measured here, and the result of each claim."""
    study = service.get_study(session, slug)
    frameworks = catalog.find_frameworks(session, set(study.frameworks.values()))
    reproductions = repository.list_reproductions(session, slug, viewer, _MOST_RUNS)
    shown = _find_shown(session, study, reproductions, run, viewer)
    measured = service.read_reproduction(session, shown) if shown else None
    host = service.choose_host(session, viewer, study, StudyVariant.QUICK)
    counts = repository.count_reproductions(session, viewer)
    tables = [compare_table(study, table, measured) for table in study.tables]
    judged = [(claim, judge_claim(claim, study, measured)) for claim in study.claims]
    return StudyOut.of(
        study_item(study, frameworks, counts.get(slug, 0)),
        source=study.source,
        differences=study.differences,
        systems=systems_out(study, frameworks),
        experiments=[
            ExperimentOut.of(experiment, slug=name)
            for name, experiment in study.experiments.items()
        ],
        host=host.name if host else None,
        variants={
            variant: variant_out(plan, study.trials[variant])
            for variant, plan in service.plan_variants(session, study, host).items()
        },
        shown=study_run(shown) if shown else None,
        runs=[study_run(reproduction) for reproduction in reproductions],
        result_tables=[table_out(table) for table in tables],
        orders=[order_out(item) for item in compare_orders_across(study, tables) if measured],
        deciding_trials=ENOUGH_TRIALS,
        lead=write_lead(judged) if measured else [],
        claim_results=[claim_out(claim, result) for claim, result in judged],
    )


@router.post(
    "/{slug}/reproduce",
    status_code=202,
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 413, 422) | QUEUED,
)
def reproduce_study(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    slug: StudySlug,
    body: ReproduceIn,
    response: Response,
) -> RunListItem:
    """Queue all cells of a study that can be measured on a host, as one run."""
    run = service.reproduce(
        session,
        workspace_id,
        service.get_study(session, slug),
        StudyVariant(body.variant),
        trials=body.trials,
        host=body.host,
        visibility=Visibility(body.visibility),
    )
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return run_item(session, run, viewer)


def _find_shown(
    session: Session,
    study: StudyManifest,
    reproductions: Collection[Run],
    requested: str | None,
    viewer: Viewer,
) -> Run | None:
    """Return the requested run, or else the newest with results, full runs before quick runs."""
    if requested is not None:
        run = runs.find_run(session, requested)
        if (
            run is None
            or run.study != study.slug
            or not may_open(viewer, run.workspace_id, run.visibility)
        ):
            raise NotFound(f"There is no run {requested!r} that reproduces {study.slug}.")
        return run
    chosen = repository.find_best(session, [reproduction.id for reproduction in reproductions])
    return None if chosen is None else runs.get_run(session, str(chosen))
