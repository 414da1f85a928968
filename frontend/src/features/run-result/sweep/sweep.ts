/** Arranges the cells of a sweep by framework and value; pure. */
import type { CellOut, MetricSummary } from '@/api/schema';
import type { Curve } from '@/charts/curves';
import type { Block, Sweep } from '@/features/run-result/selection/groups';
import { formatEstimate } from '@/lib/format';
import { showParameter } from '@/lib/parameters';
import type { ChartTable } from '@/lib/table-files';

export interface SweepRow {
  framework: CellOut['framework'];
  /** One point per value of the sweep, in its order. */
  points: { value: number; cell: CellOut | null; summary: MetricSummary | null }[];
}

export function sweepRows(block: Block, sweep: Sweep, metric: string): SweepRow[] {
  return block.groups[0].cells.map(({ framework }) => ({
    framework,
    points: block.groups.map((group, index) => {
      const cell = group.cells.find((cell) => cell.framework.slug === framework.slug) ?? null;
      return {
        value: sweep.values[index] ?? 0,
        cell,
        summary: cell?.summary[metric] ?? null,
      };
    }),
  }));
}

/** A curve per framework. Excluded points are hollow. */
export function sweepCurves(rows: readonly SweepRow[]): Curve[] {
  return rows.map(({ framework, points }) => ({
    id: framework.slug,
    name: framework.name,
    colour: framework.colour,
    dots: points.map(({ value, cell, summary }) => ({
      x: value,
      y: summary?.estimate ?? null,
      low: summary?.low ?? null,
      high: summary?.high ?? null,
      ...(cell?.excluded === true && { hollow: true, note: 'excluded' }),
    })),
  }));
}

export function sweepTable(rows: readonly SweepRow[], parameter: string): ChartTable {
  return {
    columns: ['framework', parameter, 'estimate', 'low', 'high', 'unit', 'n', 'verdicts'],
    rows: rows.flatMap(({ framework, points }) =>
      points.map(({ value, cell, summary }) => [
        framework.name,
        value,
        summary?.estimate,
        summary?.low,
        summary?.high,
        summary?.unit,
        summary?.n,
        cell?.verdicts.map((verdict) => verdict.verdict).join(' '),
      ]),
    ),
  };
}

/** Return the results by swept value, as on the page. */
export function sweepSummary(rows: readonly SweepRow[], sweep: Sweep): ChartTable {
  return {
    columns: ['framework', ...sweep.values.map((value) => showParameter(sweep.parameter, value))],
    rows: rows.map(({ framework, points }) => [
      framework.name,
      ...points.map(({ cell, summary }) =>
        [formatEstimate(summary ?? undefined), ...(cell?.excluded ? ['excluded'] : [])].join(', '),
      ),
    ]),
  };
}
