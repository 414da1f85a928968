/** Counts how far our results agree with a study; pure. */
import type { ClaimOut, FigureComparisonOut, OrderOut, TableOut } from '@/api/schema';
import { formatCount, formatExact, formatFigure, formatValue, joinWords } from '@/lib/format';

/** `1.82×`. */
export function formatRatio(ratio: number): string {
  return `${formatFigure(ratio)}×`;
}

/** Return our result in the unit of the published figure, such as `0.98 min`. */
export function formatMeasured(figure: FigureComparisonOut): string {
  const { shown, measured } = figure;
  const least = measured.summary?.is_bound === true ? 'at least ' : '';
  if (shown !== null && shown !== undefined) return least + formatExact(shown.value, shown.unit);
  return least + formatValue(measured.summary?.estimate, measured.summary?.unit ?? '');
}

/** `[1.71, 1.94]`, or null with a single trial. */
export function formatRatioInterval(figure: FigureComparisonOut): string | null {
  const { ratio_low: low, ratio_high: high } = figure;
  if (low === null || low === undefined || high === null || high === undefined) return null;
  return `[${formatFigure(low)}, ${formatFigure(high)}]`;
}

/** `−0.33`: a coefficient of rank correlation. */
export function formatCoefficient(coefficient: number): string {
  return coefficient.toFixed(2).replace('-', '\u2212');
}

/** Return how many claims hold, and how many do not or are undecided, as a sentence. */
export function describeFindings(claims: readonly ClaimOut[]): string {
  const count = (finding: ClaimOut['finding']) =>
    claims.filter((claim) => claim.finding === finding).length;
  // "Does not" needs the verb before it.
  const verb = count('holds') > 0 ? '' : ' hold here';
  const parts: [count: number, one: string, many: string][] = [
    [count('holds'), 'holds here', 'hold here'],
    [count('does_not_hold'), `does not${verb}`, `do not${verb}`],
    [count('undecided'), 'is undecided', 'are undecided'],
  ];
  const shown = parts.filter(([number]) => number > 0);
  if (shown.length === 0) return '';
  const described = shown.map(([number, one, many]) => `${number} ${number === 1 ? one : many}`);
  return `Of ${formatCount(claims.length, 'claim')}, ${joinWords(described)}.`;
}

/** Separate tables of results from tables about the setup. */
export function partTables(tables: readonly TableOut[]): {
  results: TableOut[];
  settings: TableOut[];
} {
  return {
    results: tables.filter((table) => !table.setting),
    settings: tables.filter((table) => table.setting),
  };
}

/** Return a table's orders by the column they belong to, or else by the row. */
export function placeOrders(table: TableOut): {
  ofColumns: Map<string, OrderOut>;
  ofRows: Map<string, OrderOut>;
} {
  const byLabel = new Map(table.orders.map((order) => [order.label, order]));
  const pick = (heads: readonly string[]) =>
    new Map(
      heads.flatMap((head) => {
        const order = byLabel.get(head);
        return order === undefined ? [] : [[head, order] as const];
      }),
    );
  const ofColumns = pick(table.columns);
  const ofRows = pick(ofColumns.size > 0 ? [] : table.rows.map((row) => row.head));
  return { ofColumns, ofRows };
}

export interface Score {
  /** Our results that have a published counterpart. */
  paired: number;
  /** All published numbers. */
  published: number;
  /** Of measured, those under a verdict other than `ok`, and which verdicts these are. */
  flagged: number;
  warnings: string[];
}

/** Count how far our results agree with the study. */
export function score(tables: readonly TableOut[]): Score {
  const figures = tables
    .filter((table) => !table.setting)
    .flatMap((table) => table.rows)
    .flatMap((row) => row.cells)
    .flatMap((cell) => cell.figures);
  const measured = figures.filter(
    ({ measured: { summary } }) => summary !== null && summary !== undefined,
  );
  const warned = measured.map((figure) =>
    figure.measured.verdicts.filter((verdict) => verdict !== 'ok'),
  );
  return {
    flagged: warned.filter((verdicts) => verdicts.length > 0).length,
    warnings: [...new Set(warned.flat())],
    paired: figures.filter((figure) => figure.ratio !== null && figure.ratio !== undefined).length,
    published: figures.filter(
      (figure) => figure.published !== null && figure.published !== undefined,
    ).length,
  };
}
