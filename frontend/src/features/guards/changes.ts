/** Describes what a guard found about each metric, in the figures of its headline; pure. */
import type { GuardedLoad, GuardedMetric, MetricOut } from '@/api/schema';
import { formatTick, joinWords } from '@/lib/format';

const THIN = '\u202f';
const MINUS = '\u2212';
/** Larger changes are shown as factors, as in the headline. */
const LARGE_RATIO = 2;

/** `3 %`. */
export function formatShare(share: number): string {
  return `${formatTick(Math.round(share * 1000) / 10)}${THIN}%`;
}

/** `+7.9 %`, or `×2.4` from a factor of 2 on. */
export function formatChange(ratio: number): string {
  if (ratio >= LARGE_RATIO) return `×${formatTick(ratio)}`;
  const share = ratio - 1;
  const shown = formatShare(Math.abs(share));
  return `${Math.round(share * 1000) < 0 ? MINUS : '+'}${shown}`;
}

/** `[+6.1, +9.8]`; null where no interval exists. */
export function formatChangeInterval({ low, high }: GuardedMetric): string | null {
  if (!isNumber(low) || !isNumber(high)) return null;
  const [from, to] = [formatChange(low), formatChange(high)];
  if (high >= LARGE_RATIO) return `[${from}, ${to}]`;
  return `[${from}, ${to}]`.replaceAll(`${THIN}%`, '');
}

/** Return what a state means in words. */
export function describeState(change: GuardedMetric): string {
  switch (change.state) {
    case 'worse':
      return 'worse';
    case 'better':
      return 'better';
    case 'within_limit':
      return `no difference above ${formatShare(change.limit)}`;
    case 'unknown':
      return 'unknown';
  }
}

/** `still possible between −1.2 % and +4.6 %`; null where nothing is known. */
export function describePossible({ state, low, high }: GuardedMetric): string | null {
  if (state !== 'unknown' || !isNumber(low) || !isNumber(high)) return null;
  return `still possible: between ${formatChange(low)} and ${formatChange(high)}`;
}

const ORDER = ['worse', 'unknown', 'better', 'within_limit'];

/** Return the changes of a load: what is worse first, and the furthest beyond its limit first. */
export function orderChanges({ changes }: GuardedLoad): GuardedMetric[] {
  return [...changes].sort(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || excessOf(b) - excessOf(a),
  );
}

/** Return the loads, those with broken checks first, then that with the strongest change. */
export function orderLoads(loads: readonly GuardedLoad[]): GuardedLoad[] {
  const rankOf = (load: GuardedLoad): [number, number] => {
    const [first] = orderChanges(load);
    if (first !== undefined) return [ORDER.indexOf(first.state), excessOf(first)];
    // The head broke a check of the script, so nothing is timed.
    return [load.script ? -1 : ORDER.length, 0];
  };
  return [...loads].sort((a, b) => {
    const [stateA, excessA] = rankOf(a);
    const [stateB, excessB] = rankOf(b);
    return stateA - stateB || excessB - excessA;
  });
}

/** Return how many times its limit a change is. */
function excessOf({ ratio, limit }: GuardedMetric): number {
  return Math.abs(Math.log(ratio ?? 1)) / Math.log(1 + limit);
}

const ENDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1, 2, 5];
/** A larger change is cut off, so that the others can still be seen. */
const MOST_LIMITS = 5;

/** Return the end of the axis on which all changes of a guard are drawn, as a share. */
export function findAxisEnd(loads: readonly GuardedLoad[]): number {
  const changes = loads.flatMap((load) => load.changes);
  const limit = Math.max(0, ...changes.map((change) => change.limit));
  const extents = changes.flatMap(({ low, high, limit }) =>
    [low, high, 1 + limit].filter(isNumber).map((ratio) => Math.abs(ratio - 1)),
  );
  const end = Math.min(Math.max(0, ...extents), limit * MOST_LIMITS);
  return ENDS.find((candidate) => isWithinAxis(1 + end, candidate)) ?? end;
}

/** The error of a share that is computed from a ratio. */
const TINY = 1e-9;

/** Return whether a ratio is on the axis. */
export function isWithinAxis(ratio: number, end: number): boolean {
  return Math.abs(ratio - 1) <= end + TINY;
}

/** Return the ratio at which a change for the worse is at its limit. */
export function limitRatio(limit: number, direction: 'lower' | 'higher'): number {
  return direction === 'lower' ? 1 + limit : 1 / (1 + limit);
}

/** Return the title of a metric: `wait p95` for `script:wait.p95`, which a script defines. */
export function titleOf(metric: string, metrics: readonly MetricOut[]): string {
  const info = metrics.find((info) => info.metric === metric);
  return info?.title ?? metric.replace('script:', '').replace('.p95', ' p95');
}

/** Return which values of a metric are better. */
export function directionOf(
  { metric, less_is_worse: lessIsWorse }: GuardedMetric,
  metrics: readonly MetricOut[],
): 'lower' | 'higher' {
  const info = metrics.find((info) => info.metric === metric);
  return info?.direction ?? (lessIsWorse ? 'higher' : 'lower');
}

/** Return which values are better: `Lower is better, except for Throughput.` */
export function describeDirections(
  changes: readonly GuardedMetric[],
  metrics: readonly MetricOut[],
): string {
  const titles = { lower: new Set<string>(), higher: new Set<string>() };
  for (const change of changes) {
    titles[directionOf(change, metrics)].add(titleOf(change.metric, metrics));
  }
  if (titles.higher.size === 0) return 'Lower is better.';
  if (titles.lower.size === 0) return 'Higher is better.';
  return `Lower is better, except for ${joinWords([...titles.higher])}.`;
}

export function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
