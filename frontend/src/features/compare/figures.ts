/** Prepares the data of a comparison's charts; pure. */
import type { CellChartsOut, ComparisonCharts } from '@/api/schema';
import { type BandLine, bandPoints } from '@/charts/bands';
import type { ChartTable, FigureOrigin } from '@/charts/ChartFigure';
import type { Curve } from '@/charts/curves';
import { describeTrialCounts } from '@/charts/figure-text';
import type { ScatterDot } from '@/charts/ScatterChart';
import { type Line, toTailPoints } from '@/charts/series';
import { summarizeMetrics, summarizeTails } from '@/charts/summaries';
import { formatDay, joinWords } from '@/lib/format';
import { pageLink } from '@/lib/installation';
import { commonTraits, type Entry } from './labels';

export type Figure = 'throughput_rps' | 'latency_p99_ms' | 'cpu_cores' | 'memory_bytes';

/** Return each entry with its charts; entries without charts are left out. */
function withCharts(entries: readonly Entry[], charts: ComparisonCharts): [Entry, CellChartsOut][] {
  return entries.flatMap((entry): [Entry, CellChartsOut][] => {
    const own = charts.cells.find((cell) => cell.cell_id === entry.id);
    return own ? [[entry, own]] : [];
  });
}

/** Return charts without data, which have the lines and the space of those to come. */
export function blankCharts(entries: readonly Entry[]): ComparisonCharts {
  const nothing = { low: [], middle: [], high: [] };
  const series = {
    seconds: [],
    throughput_rps: nothing,
    latency_p99_ms: nothing,
    cpu_cores: nothing,
    memory_bytes: nothing,
  };
  const blank = { requests: 0, histogram: '', percentiles: [], series, steps: [] };
  return { cells: entries.map(({ id }) => ({ cell_id: id, ...blank })) };
}

export function isInSteps({ cell }: Entry): boolean {
  return cell.kind === 'steps';
}

function look({ id, label, cell, dash }: Entry) {
  return {
    id,
    name: label,
    colour: cell.framework.colour,
    ...(dash !== undefined && { dash }),
    excluded: cell.excluded,
  };
}

export function tailLines(entries: readonly Entry[], charts: ComparisonCharts): Line[] {
  return withCharts(entries, charts).map(([entry, { percentiles }]) => ({
    ...look(entry),
    points: toTailPoints(percentiles),
  }));
}

export function tailTable(entries: readonly Entry[], charts: ComparisonCharts): ChartTable {
  return {
    columns: ['result', 'quantile', 'latency_ms'],
    rows: withCharts(entries, charts).flatMap(([{ label }, { percentiles }]) =>
      percentiles.map(({ quantile, latency_ms }) => [label, quantile, latency_ms]),
    ),
  };
}

/** Return the median trial of each second with the range of all trials. */
export function bandLines(
  entries: readonly Entry[],
  charts: ComparisonCharts,
  figure: Figure,
): BandLine[] {
  return withCharts(entries, charts).map(([entry, { series }]) => ({
    ...look(entry),
    points: bandPoints(series.seconds, series[figure]),
  }));
}

/** Return curves of a stepped load over all trials, with a circle at each knee. */
export function stepCurves(
  entries: readonly Entry[],
  charts: ComparisonCharts,
  figure: 'latency_p99_ms' | 'cpu_us_per_request',
): Curve[] {
  return withCharts(entries, charts).map(([entry, { steps }]) => {
    const knee = entry.cell.summary.knee_rps?.estimate;
    const nearest = knee === undefined ? undefined : nearestStep(steps, knee);
    return {
      ...look(entry),
      dots: steps.map((step) => ({
        x: step.target_rps,
        y: step[figure],
        ...(!step.passed && { hollow: true, note: 'step failed' }),
        ...(step === nearest && { ringed: true, note: 'knee' }),
      })),
    };
  });
}

function nearestStep(steps: CellChartsOut['steps'], rate: number) {
  const distance = (step: CellChartsOut['steps'][number]) => Math.abs(step.target_rps - rate);
  return [...steps].sort((a, b) => distance(a) - distance(b))[0];
}

export function stepTable(entries: readonly Entry[], charts: ComparisonCharts): ChartTable {
  return {
    columns: [
      'result',
      'rate, req/s',
      'success, %',
      'p50, ms',
      'p99, ms',
      'CPU per request, µs',
      'knee of the trials, req/s',
    ],
    rows: withCharts(entries, charts).flatMap(([{ label, cell }, { steps }]) =>
      steps.map((step) => [
        label,
        step.target_rps,
        step.success_ratio * 100,
        step.latency_p50_ms,
        step.latency_p99_ms,
        step.cpu_us_per_request,
        cell.summary.knee_rps?.estimate,
      ]),
    ),
  };
}

/** Return what saved and copied figures of a comparison name besides their title. */
export function originOf(entries: readonly Entry[]): FigureOrigin {
  const cells = entries.map(({ cell }) => cell);
  const days = [
    ...new Set(
      cells
        .map(({ at }) => at)
        .sort()
        .map(formatDay),
    ),
  ];
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return {
    subject: `Comparison of ${joinWords(entries.map(({ label }) => label))}`,
    facts: [
      ...commonTraits(cells),
      describeTrialCounts(cells.map((cell) => cell.trials_succeeded)),
      first === last ? first : `${first} to ${last}`,
    ],
    link: pageLink(),
  };
}

export function tailSummary(entries: readonly Entry[], charts: ComparisonCharts): ChartTable {
  const tails = withCharts(entries, charts).map(([{ label }, { percentiles }]) => ({
    name: label,
    percentiles,
  }));
  return summarizeTails(tails);
}

/** Return these metrics of each result, with their intervals. */
export function metricSummary(
  entries: readonly Entry[],
  metrics: readonly (readonly [metric: string, title: string])[],
): ChartTable {
  const results = entries.map(({ label, cell }) => ({ name: label, summary: cell.summary }));
  return summarizeMetrics(results, metrics);
}

/** Return one metric against another, with both intervals. */
export function scatterDots(entries: readonly Entry[], x: string, y: string): ScatterDot[] {
  return entries.flatMap((entry) => {
    const [across, up] = [entry.cell.summary[x], entry.cell.summary[y]];
    if (across === undefined || up === undefined) return [];
    return [{ ...look(entry), x: across, y: up }];
  });
}
