/** The settings of tools/benchmarks/ui.py, and the files from which it reads the results. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type PageName = 'run' | 'compare' | 'history' | 'leaderboard';

export interface BenchSettings {
  /** Installation with the large data set. */
  url: string;
  loads: number;
  /** Paths on it. */
  permalink: string;
  pages: Record<PageName, string>;
  wide: string;
  /** Lines and points of its time charts. */
  lines: number;
  points: number;
  live: { url: string; path: string; seconds: number };
}

export function readSettings(): BenchSettings {
  return JSON.parse(process.env.TACHO_BENCH ?? '') as BenchSettings;
}

export function tell(name: string, figures: unknown): void {
  writeFileSync(join(process.env.TACHO_BENCH_OUT ?? '', `${name}.json`), JSON.stringify(figures));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}
