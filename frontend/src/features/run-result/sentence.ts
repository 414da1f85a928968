/** The result in plain words, claiming no more than estimates and their intervals allow. */
import type { RunCell } from '@/api/runs';
import { formatCount, formatInterval, formatValue, joinWords, words } from '@/lib/format';
import { overlap, type RankedCell, rankCells, spanOf } from './ranking';

const HEADLINES: Record<RunCell['kind'], readonly string[]> = {
  rate: ['cpu_us_per_request', 'latency_p99_ms', 'throughput_rps'],
  users: ['cpu_us_per_request', 'latency_p99_ms', 'throughput_rps'],
  saturate: ['throughput_rps', 'latency_p99_ms'],
  steps: ['sustained_rps', 'knee_rps'],
};

/** The figure a kind of load is for. */
export function headlineMetric(kind: RunCell['kind'], cells: readonly RunCell[]): string {
  const wanted = HEADLINES[kind];
  const known = wanted.find((metric) => cells.some((cell) => cell.summary[metric] !== undefined));
  return known ?? wanted[0] ?? 'throughput_rps';
}

/** One to four sentences about one metric of one group. */
export function describeResult(cells: readonly RunCell[], metric: string, title: string): string[] {
  const ranked = rankCells(cells, metric);
  const counted = ranked.filter(({ cell, summary }) => !cell.barred && summary !== null);
  const sentences: string[] = [];
  const [best, ...others] = counted;
  if (best === undefined) sentences.push(`No trial gave a ${lower(title)} that can stand.`);
  else if (others.length === 0)
    sentences.push(`${title} of ${best.cell.framework.name}: ${figures(best)}.`);
  else sentences.push(...compare(best, others, title));
  sentences.push(...describeBarred(cells));
  for (const { framework, trials_failed: failed } of cells) {
    if (failed > 0) {
      sentences.push(
        `${formatCount(failed, 'trial')} of ${framework.name} failed; why stands below.`,
      );
    }
  }
  const missing = ranked.filter(({ cell, summary }) => !cell.barred && summary === null);
  if (best !== undefined && missing.length > 0) {
    const names = joinWords(missing.map(({ cell }) => cell.framework.name));
    sentences.push(`${names} gave no number.`);
  }
  return sentences;
}

/** A sentence a reason. */
function describeBarred(cells: readonly RunCell[]): string[] {
  const namesByReason = new Map<string, string[]>();
  for (const cell of cells.filter((one) => one.barred)) {
    const reasons = cell.verdicts.filter((one) => one.bars_ranking);
    const why = joinWords(reasons.map((one) => words(one.verdict)));
    namesByReason.set(why, [...(namesByReason.get(why) ?? []), cell.framework.name]);
  }
  return [...namesByReason].map(
    ([why, names]) => `${joinWords(names)} ${names.length === 1 ? 'is' : 'are'} barred: ${why}.`,
  );
}

function compare(best: RankedCell, others: readonly RankedCell[], title: string): string[] {
  const superlative = best.summary?.direction === 'higher' ? 'Highest' : 'Lowest';
  const first = `${superlative} ${lower(title)}: ${quote(best)}.`;
  const span = spanOf(best.summary);
  if (span === null) {
    return [first, 'With one trial each there are no intervals, so nothing is concluded.'];
  }
  const open = others.filter(({ summary }) => spanOf(summary) === null);
  const tied = others.filter(({ summary }) => {
    const its = spanOf(summary);
    return its !== null && overlap(its, span);
  });
  const apart = others.filter((other) => !tied.includes(other) && !open.includes(other));
  const sentences = [first];
  if (tied.length > 0) {
    sentences.push(`Intervals overlap with ${list(tied)}: no difference shown.`);
  }
  if (apart.length > 0) {
    sentences.push(
      `${list(apart)}: ${apart.length === 1 ? 'the interval does' : 'intervals do'} not overlap with it.`,
    );
  }
  if (open.length > 0) {
    sentences.push(`${list(open)} rests on one trial, without interval: nothing is concluded.`);
  }
  if ((best.summary?.n ?? 0) <= 3) {
    sentences.push(`With ${best.summary?.n ?? 0} trials each, almost nothing can be concluded.`);
  }
  return sentences;
}

const list = (cells: readonly RankedCell[]) => joinWords(cells.map(quote));

/** `Node.js 61 µs [60, 63]`. */
function quote({ cell, summary }: RankedCell): string {
  return summary === null ? cell.framework.name : `${cell.framework.name} ${figures({ summary })}`;
}

function figures({ summary }: Pick<RankedCell, 'summary'>): string {
  if (summary === null) return 'no number';
  const { estimate, low, high, unit } = summary;
  const interval = formatInterval(estimate, low, high, unit);
  return `${formatValue(estimate, unit)}${interval ? ` ${interval}` : ''}`;
}

/** `Latency p99` → `latency p99`, but `CPU per request` stays. */
function lower(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
