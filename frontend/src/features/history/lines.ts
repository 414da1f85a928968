/** Turns a history into lines, rules and a time span; pure. */
import type { HistoryChange, HistoryEvent, HistoryOut, HistorySeries } from '@/api/schema';
import type { HistoryLine } from '@/charts/HistoryChart';
import type { HistoryRule } from '@/charts/rules';
import { nameSubject } from '@/lib/differences';
import { describeLoad, kindOf } from '@/lib/load';
import { formatRatio } from '@/lib/ratio';
import { seriesDash } from '@/lib/tokens';
import type { Band } from './noise-band';

/** More lines than this hide each other. */
const MOST_LINES = 6;
/** The noise bands of more lines cover each other. */
const MOST_BANDS = 3;

export interface Span {
  from: number;
  to: number;
}

/** Return the index of a series among those of its framework, from 0. */
function placeOf(history: HistoryOut, index: number): number {
  const slug = history.series[index]?.framework.slug;
  return history.series.slice(0, index).filter((series) => series.framework.slug === slug).length;
}

/** Return the key of a series in the URL: its framework, and a number if there are several. */
export function keyOf(history: HistoryOut, index: number): string {
  const slug = history.series[index]?.framework.slug ?? '';
  const place = placeOf(history, index);
  return place === 0 ? slug : `${slug}.${place + 1}`;
}

/** Return whether all series have the same value. */
function isShared(history: HistoryOut, read: (series: HistorySeries) => unknown): boolean {
  return new Set(history.series.map((series) => JSON.stringify(read(series)))).size <= 1;
}

const loadOf = ({ parameters, profile }: Pick<HistorySeries, 'parameters' | 'profile'>) => {
  const isFull = profile.endsWith('-full') ? ', full' : '';
  return `${describeLoad({ kind: kindOf(parameters), parameters })}${isFull}`;
};

/** Return what distinguishes a series from the others; its framework if nothing does. */
export function nameOf(history: HistoryOut, series: HistorySeries): string {
  const parts = [
    !isShared(history, ({ parameters, profile }) => [parameters, profile]) && loadOf(series),
    !isShared(history, ({ host }) => host) && series.host,
    !isShared(history, ({ runtime }) => runtime) && `${series.runtime} runtime`,
  ].filter((part) => part !== false);
  const isAlone = isShared(history, ({ framework }) => framework.slug);
  if (parts.length === 0) return series.framework.name;
  const where = parts.join(', ');
  return isAlone ? where : `${series.framework.name}: ${where}`;
}

/** Return the keys of the series drawn at first: of many, those that the answers are about; else empty for all. */
export function shownAtFirst(history: HistoryOut, lines: readonly HistoryLine[]): string {
  if (lines.length <= MOST_LINES) return '';
  return history.answers.map((answer) => keyOf(history, answer.series)).join(',');
}

/** Return these lines without noise bands if there are many. */
export function withoutCrowdedBands(lines: readonly HistoryLine[]): readonly HistoryLine[] {
  return lines.length <= MOST_BANDS ? lines : lines.map((line) => ({ ...line, band: null }));
}

/** Return the load, host and runtime that all series share. */
export function sharedFacts(history: HistoryOut): string[] {
  const [first] = history.series;
  if (first === undefined) return [];
  return [
    isShared(history, ({ parameters, profile }) => [parameters, profile]) && loadOf(first),
    isShared(history, ({ host }) => host) && first.host,
    isShared(history, ({ runtime }) => runtime) && `${first.runtime} runtime`,
  ].filter((part) => part !== false);
}

/** Return the line of a series. Series of one framework share colour and marker, and differ in dash and name. */
export function toLine(history: HistoryOut, index: number, band: Band | null): HistoryLine | null {
  const series = history.series[index];
  if (series === undefined) return null;
  const { slug, name: owner, colour } = series.framework;
  const name = nameOf(history, series);
  const isOnly = history.series.filter((series) => series.framework.slug === slug).length === 1;
  return {
    id: keyOf(history, index),
    name,
    owner,
    label: isOnly ? owner : name,
    colour,
    dash: seriesDash(placeOf(history, index)),
    band,
    dots: series.points.map((point) => ({
      runId: point.run_slug,
      cellId: point.cell_id,
      at: Date.parse(point.at),
      estimate: point.estimate,
      low: point.low,
      high: point.high,
      excluded: point.excluded,
      n: point.n,
    })),
  };
}

/** Return the names of the changed facts, which are short: `kernel`, `k6, framework source`. */
export function subjectsOf(event: HistoryEvent): string {
  const names = event.differences.map(({ subject }) =>
    nameSubject(subject.split('.').at(-1) ?? subject),
  );
  const unique = [...new Set(names)];
  return unique.length > 2
    ? `${unique.slice(0, 2).join(', ')} + ${String(unique.length - 2)}`
    : unique.join(', ');
}

/** Return the vertical rules of one series, at level shifts and at changes of the environment. */
export function rulesOf(
  changes: readonly HistoryChange[],
  events: readonly HistoryEvent[],
  colour: number,
): HistoryRule[] {
  return [
    ...changes.map((change) => ({
      at: Date.parse(change.at),
      label: formatRatio(change.ratio),
      kind: 'change' as const,
      colour,
    })),
    ...events.map((event) => ({
      at: Date.parse(event.at),
      label: subjectsOf(event),
      kind: 'event' as const,
      colour,
    })),
  ];
}

/** Return the span from the first to the last point; null without points. */
export function spanOf(history: HistoryOut): Span | null {
  const times = history.series.flatMap((series) =>
    series.points.map((point) => Date.parse(point.at)),
  );
  if (times.length === 0) return null;
  return times.reduce<Span>(
    (span, at) => ({ from: Math.min(span.from, at), to: Math.max(span.to, at) }),
    { from: Infinity, to: -Infinity },
  );
}

/** Return the part of a span that the URL names. */
export function cutSpan(whole: Span, from: string | undefined, to: string | undefined): Span {
  const begin = from === undefined ? NaN : Date.parse(from);
  const end = to === undefined ? NaN : Date.parse(to);
  const cut = {
    from: Number.isNaN(begin) ? whole.from : Math.max(whole.from, begin),
    to: Number.isNaN(end) ? whole.to : Math.min(whole.to, end),
  };
  return cut.from < cut.to ? cut : whole;
}

/** Return the differences within two points of a change, which may have caused it. */
export function differencesNear(change: HistoryChange, events: readonly HistoryEvent[]): string[] {
  return events
    .filter((event) => Math.abs(event.index - change.index) <= 2)
    .flatMap((event) =>
      event.differences.map(
        ({ subject, before, after }) => `${nameSubject(subject)}: ${before} → ${after}`,
      ),
    );
}
