"""Studies as the API shows them."""

from collections.abc import Mapping

from backend.addresses import run_page
from backend.api.results.studies.schemas import (
    CheckOut,
    ClaimOut,
    FigureComparisonOut,
    MeasurementOut,
    OrderOut,
    StudyListItem,
    StudyRun,
    SystemUnderTestOut,
    TableCell,
    TableOut,
    TableRow,
    VariantOut,
)
from backend.api.schemas import FrameworkRef
from backend.api.views import metric_summary
from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_claims import PublishedClaim
from backend.core.catalog.study_plan import Plan
from backend.core.models import Framework, Run
from backend.core.results.studies.findings import CheckResult, ClaimResult
from backend.core.results.studies.measurement import Measurement
from backend.core.results.studies.service import estimate_seconds
from backend.core.results.studies.table_comparison import (
    FigureComparison,
    OrderComparison,
    TableComparison,
)
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
