/** Describes a comparison in sentences that its statistics support; pure. */
import { nameSubject } from '@/lib/differences';
import { formatFigure, joinWords, words } from '@/lib/format';
import type { Entry } from './labels';

const ORDER = ['faster', 'slower', 'equivalent', 'inconclusive'] as const;

/** Return one to three sentences about one metric. */
export function describeComparison(
  entries: readonly Entry[],
  metric: string,
  title: string,
): string[] {
  const [baseline, ...others] = entries;
  if (baseline === undefined) return [];
  if (others.length === 0) {
    return [`Only one result is selected. Add another to compare with ${baseline.label}.`];
  }
  const judged = others.filter(({ pair }) => pair?.comparability === 'comparable');
  const sentences = ORDER.flatMap((word) => {
    const found = judged.filter(({ pair }) => pair?.ratios[metric]?.word === word);
    if (found.length === 0) return [];
    const told = joinWords(found.map((entry) => quote(entry, metric)));
    const verb = found.length === 1 ? 'is' : 'are';
    return [`${told} ${verb} ${word}`];
  });
  const against = `${title}, compared with ${baseline.label}`;
  const first = sentences.length > 0 ? [`${against}: ${sentences.join('; ')}.`] : [];
  return [
    ...describeExcludedBaseline(baseline),
    ...first,
    ...describeApart(others),
    ...describeSilent(judged, metric, title),
  ];
}

function describeExcludedBaseline({ label, cell }: Entry): string[] {
  if (!cell.excluded) return [];
  const excluding = cell.verdicts.filter((verdict) => verdict.excludes_from_ranking);
  const why = joinWords(excluding.map(({ verdict }) => words(verdict)));
  return [
    `The baseline, ${label}, is excluded${why === '' ? '' : ` (${why})`}, so nothing is compared with it.`,
  ];
}

function describeApart(others: readonly Entry[]): string[] {
  const apart = others.filter(({ pair }) => pair?.comparability === 'incomparable');
  const excluded = others.filter(
    ({ cell, pair }) => cell.excluded && pair?.comparability === 'excluded',
  );
  const sentences: string[] = [];
  if (apart.length > 0) {
    const subjects = new Set(
      apart.flatMap(
        ({ pair }) => pair?.differences.map((difference) => nameSubject(difference.subject)) ?? [],
      ),
    );
    const named = [...subjects].slice(0, 3);
    sentences.push(
      `${joinWords(apart.map((entry) => entry.label))} cannot be compared with it because of a different ${joinWords(named)}${subjects.size > 3 ? ' and more' : ''}.`,
    );
  }
  if (excluded.length > 0) {
    sentences.push(
      `${joinWords(excluded.map((entry) => entry.label))} ${excluded.length === 1 ? 'is' : 'are'} excluded and not compared.`,
    );
  }
  return sentences;
}

function describeSilent(judged: readonly Entry[], metric: string, title: string): string[] {
  const silent = judged.filter(({ pair }) => pair?.ratios[metric] === undefined);
  if (silent.length === 0) return [];
  return [
    `${joinWords(silent.map((entry) => entry.label))} and the baseline have no common ${lower(title)}.`,
  ];
}

/** `Go net/http 0.61× [0.59, 0.63]`. */
function quote({ label, pair }: Entry, metric: string): string {
  const ratio = pair?.ratios[metric];
  return ratio ? `${label} at ${formatRatio(ratio)}` : label;
}

interface Ratio {
  ratio: number;
  low?: number | null;
  high?: number | null;
}

/** `0.61× [0.59, 0.63]`. */
export function formatRatio({ ratio, low, high }: Ratio): string {
  const bounded = typeof low === 'number' && typeof high === 'number';
  return `${formatFigure(ratio)}×${bounded ? ` [${formatFigure(low)}, ${formatFigure(high)}]` : ''}`;
}

function lower(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
