/** Order and places of cells by one metric; no place is given that the intervals do not carry. */
import type { MetricSummary, RunCell } from '@/api/runs';

export interface RankedCell {
  cell: RunCell;
  /** Null where no trial gave this number. */
  summary: MetricSummary | null;
  /** 1 + how many intervals lie wholly on the better side; null when barred or without interval. */
  place: number | null;
}

interface Span {
  low: number;
  high: number;
}

export function spanOf(summary: MetricSummary | null): Span | null {
  if (summary === null || typeof summary.low !== 'number' || typeof summary.high !== 'number') {
    return null;
  }
  return { low: summary.low, high: summary.high };
}

export function overlap(a: Span, b: Span): boolean {
  return a.low <= b.high && b.low <= a.high;
}

/** Best estimate first; barred cells after the others, cells without a number last. */
export function rankCells(cells: readonly RunCell[], metric: string): RankedCell[] {
  const entries = cells.map((cell) => ({ cell, summary: cell.summary[metric] ?? null }));
  const ranked = entries.map((entry) => {
    const span = spanOf(entry.summary);
    if (span === null || entry.cell.barred) return { ...entry, place: null };
    const better = entries.filter((other) => {
      const its = spanOf(other.summary);
      if (its === null || other.cell.barred) return false;
      return entry.summary?.direction === 'higher' ? its.low > span.high : its.high < span.low;
    });
    return { ...entry, place: better.length + 1 };
  });
  return ranked.sort((a, b) => order(a) - order(b) || byEstimate(a, b));
}

function order({ cell, summary }: RankedCell): number {
  if (summary === null) return 2;
  return cell.barred ? 1 : 0;
}

function byEstimate(a: RankedCell, b: RankedCell): number {
  const difference = (a.summary?.estimate ?? 0) - (b.summary?.estimate ?? 0);
  return a.summary?.direction === 'higher' ? -difference : difference;
}

/** End of the scale that bars of these cells share. */
export function scaleEnd(ranked: readonly RankedCell[]): number {
  const ends = ranked.map(({ summary }) => Math.max(summary?.estimate ?? 0, summary?.high ?? 0));
  // A whisker may reach far beyond its bar; it is cut rather than flatten all bars.
  const most = Math.max(...ranked.map(({ summary }) => summary?.estimate ?? 0)) * 1.6;
  return Math.min(Math.max(...ends), most) || 1;
}

/** Values that may differ from the best ranked one by the host's noise alone; null without any. */
export function noiseBand(
  ranked: readonly RankedCell[],
  smallestRatio: number | undefined,
): [low: number, high: number] | null {
  const best = ranked.find(({ cell, summary }) => summary !== null && !cell.barred)?.summary;
  if (!best || smallestRatio === undefined || smallestRatio <= 1) return null;
  return [best.estimate / smallestRatio, best.estimate * smallestRatio];
}
