/** The rounded tables that "Copy as Markdown" copies from charts; pure. */
import { formatCount, formatEstimate, formatValue } from '@/lib/format';
import type { ChartTable } from '@/lib/table-files';
import { type BandLine } from './bands';
import type { Heat } from './heat';

const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const;

interface NamedTail {
  name: string;
  percentiles: readonly { quantile: number; latency_ms: number }[];
}

/** Return the named percentiles of each result. Those that no result has are left out. */
export function summarizeTails(tails: readonly NamedTail[]): ChartTable {
  const find = ({ percentiles }: NamedTail, wanted: number) =>
    percentiles.find(({ quantile }) => Math.abs(quantile - wanted) < 1e-9)?.latency_ms;
  const known = QUANTILES.filter(([, wanted]) =>
    tails.some((tail) => find(tail, wanted) !== undefined),
  );
  return {
    columns: ['result', ...known.map(([name]) => name)],
    rows: tails.map((tail) => [
      tail.name,
      ...known.map(([, wanted]) => formatValue(find(tail, wanted), 'ms')),
    ]),
  };
}

/** Return the lowest, median and highest measured second of each line. */
export function summarizeSeconds(lines: readonly BandLine[], unit: string): ChartTable {
  return {
    columns: ['result', 'lowest second', 'median second', 'highest second'],
    rows: lines.map(({ name, points }) => {
      const values = points.flatMap(({ x, middle }) => (x < 0 ? [] : (middle ?? [])));
      values.sort((a, b) => a - b);
      const middle = medianOf(values);
      return [name, ...[values[0], middle, values.at(-1)].map((value) => formatValue(value, unit))];
    }),
  };
}

/** Return the median of values in ascending order. */
function medianOf(sorted: readonly number[]): number | undefined {
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

/** Return how many requests each heat map contains, and between which latencies they are. */
export function summarizeHeats(heats: readonly Heat[]): ChartTable {
  return {
    columns: ['result', 'requests', 'fastest', 'slowest'],
    rows: heats.map(({ name, columns, edgesMs }) => {
      const counts = edgesMs
        .slice(1)
        .map((_, row) => columns.reduce((sum, column) => sum + (column[row] ?? 0), 0));
      const [first, last] = [
        counts.findIndex((count) => count > 0),
        counts.findLastIndex((count) => count > 0),
      ];
      const total = counts.reduce((sum, count) => sum + count, 0);
      return [
        name,
        formatCount(total, 'request'),
        formatValue(edgesMs[first], 'ms'),
        formatValue(last === -1 ? null : edgesMs[last + 1], 'ms'),
      ];
    }),
  };
}

interface NamedSummary {
  name: string;
  summary: Partial<Record<string, Parameters<typeof formatEstimate>[0]>>;
}

/** Return these metrics of each result, with their intervals. */
export function summarizeMetrics(
  results: readonly NamedSummary[],
  metrics: readonly (readonly [metric: string, title: string])[],
): ChartTable {
  return {
    columns: ['result', ...metrics.map(([, title]) => title)],
    rows: results.map(({ name, summary }) => [
      name,
      ...metrics.map(([metric]) => formatEstimate(summary[metric])),
    ]),
  };
}
