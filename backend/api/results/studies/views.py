"""Studies as the API shows them."""

from collections.abc import Mapping
from dataclasses import asdict

from backend.addresses import run_page
from backend.api.results.studies.schemas import (
    CheckOut,
    ClaimOut,
    FigureComparisonOut,
    MeasurementOut,
    OrderOut,
    ShownValueOut,
    StudyRun,
    SystemUnderTestOut,
    TableCell,
    TableOut,
    TableRow,
    VariantOut,
)
from backend.api.schemas import FrameworkRef
from backend.api.views import framework_ref, metric_summary
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


def study_head(
    study: StudyManifest, frameworks: Mapping[str, Framework], reproductions: int
) -> dict[str, object]:
    """Return the fields that lists and pages of studies show."""
    results = [table for table in study.tables if not table.setting]
    return {
        "slug": study.slug,
        "name": study.name,
        "description": study.description,
        "authors": list(study.source.authors),
        "year": study.source.year,
        "kind": study.source.kind,
        # Two systems may have the same framework.
        "frameworks": list({ref.slug: ref for ref in _refs(study, frameworks).values()}.values()),
        "tables": len(results),
        "figures": study.figures_total,
        "claims": len(study.claims),
        "reproductions": reproductions,
    }


def study_run(run: Run) -> StudyRun:
    return StudyRun.model_validate(
        {
            "slug": run.slug,
            "permalink": run_page(run.slug),
            "variant": run.study_variant,
            "status": run.status,
            "host": run.host.name,
            "runtime": run.host.runtime,
            "trials_per_cell": run.trials_per_cell,
            "cells": len(run.cells),
            "example": run.example,
            "created_at": run.created_at,
            "finished_at": run.finished_at,
        }
    )


def systems_out(
    study: StudyManifest, frameworks: Mapping[str, Framework]
) -> list[SystemUnderTestOut]:
    refs = _refs(study, frameworks)
    return [
        SystemUnderTestOut(
            name=system.name,
            framework=refs.get(system.name),
            wanted=None if system.name in refs else system.framework,
            note=system.note,
        )
        for system in study.systems
    ]


def variant_out(plan: Plan, trials: int) -> VariantOut:
    return VariantOut.model_validate(
        {
            "trials": trials,
            "seconds": estimate_seconds(plan, trials),
            "cells": [
                {
                    "framework": cell.framework,
                    "scenario": cell.scenario,
                    "profile": cell.profile,
                    "parameters": cell.parameters,
                }
                for cell in plan.cells
            ],
            "impossible": [asdict(item) for item in plan.impossible],
        }
    )


def table_out(comparison: TableComparison) -> TableOut:
    table = comparison.table
    return TableOut(
        slug=table.slug,
        title=table.title,
        corner=table.corner,
        source_location=table.source_location,
        printed=table.printed,
        setting=table.setting,
        note=table.note,
        columns=[column.head for column in table.columns],
        rows=[
            TableRow(
                head=row.head,
                cells=[
                    TableCell(
                        printed=cell.printed,
                        failed=cell.failed,
                        system=cell.meaning.system,
                        figures=[_figure_out(figure) for figure in cell.figures],
                    )
                    for cell in cells
                ],
            )
            for row, cells in zip(table.rows, comparison.cells, strict=True)
        ],
        orders=[order_out(order) for order in comparison.orders],
    )


def claim_out(claim: PublishedClaim, result: ClaimResult) -> ClaimOut:
    return ClaimOut(
        words=claim.words,
        question=claim.question,
        headline=claim.headline,
        source_location=claim.source_location,
        finding=result.finding,
        cause=result.cause,
        unchecked=claim.unchecked,
        deciding=_check_out(result.deciding) if result.deciding else None,
        checks=[_check_out(check) for check in result.checks],
    )


def _check_out(check: CheckResult) -> CheckOut:
    document = asdict(check)
    unit = "×" if document.pop("is_ratio") else METRICS[check.metric].unit
    return CheckOut.model_validate(document | {"unit": unit})


def _refs(study: StudyManifest, frameworks: Mapping[str, Framework]) -> dict[str, FrameworkRef]:
    """System under test to the framework that stands for it, of those in the catalogue."""
    return {
        system: framework_ref(frameworks[slug])
        for system, slug in study.frameworks.items()
        if slug in frameworks
    }


def _figure_out(comparison: FigureComparison) -> FigureComparisonOut:
    printed_unit = comparison.figure.unit if comparison.figure else None
    unit = METRICS[comparison.metric].unit if comparison.metric else printed_unit
    return FigureComparisonOut(
        metric=comparison.metric,
        published=comparison.published,
        unit=unit,
        measured=_measurement_out(comparison.metric, comparison.measured),
        shown=(
            ShownValueOut.model_validate(asdict(comparison.shown)) if comparison.shown else None
        ),
        ratio=comparison.ratio,
        ratio_low=comparison.ratio_low,
        ratio_high=comparison.ratio_high,
    )


def _measurement_out(metric: Metric | None, measured: Measurement) -> MeasurementOut:
    summary = metric_summary(metric, measured.estimate) if metric and measured.estimate else None
    return MeasurementOut(
        cell_id=measured.cell_id,
        summary=summary,
        unresponsive=measured.unresponsive,
        excluded=measured.excluded,
        verdicts=list(measured.verdicts),
        reason=measured.reason,
    )


def order_out(order: OrderComparison) -> OrderOut:
    found = order.agreement
    return OrderOut(
        label=order.label,
        metric=order.metric,
        direction=METRICS[order.metric].direction,
        systems=list(order.systems),
        n=len(order.systems),
        spearman=found.spearman if found else None,
        kendall=found.kendall if found else None,
        p_value=found.p_value if found else None,
        reason=order.reason,
    )
