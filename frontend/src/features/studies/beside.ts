/** What a study's page says of its tables, as pure functions. */
import type { StudyCell, StudyClaim, StudyOrder, StudySlot, StudyTable } from '@/api/studies';
import { formatFigure } from '@/lib/format';

/** `1.82×`. */
export function formatRatio(ratio: number): string {
  return `${formatFigure(ratio)}×`;
}

/** `[1.71, 1.94]`, or null where one trial gives none. */
export function formatRatioInterval(slot: StudySlot): string | null {
  const { ratio_low: low, ratio_high: high } = slot;
  if (low === null || low === undefined || high === null || high === undefined) return null;
  return `[${formatFigure(low)}, ${formatFigure(high)}]`;
}

/** The tables that results stand in, and those that tell of the set-up. */
export function partTables(tables: readonly StudyTable[]): {
  results: StudyTable[];
  settings: StudyTable[];
} {
  return {
    results: tables.filter((table) => !table.setting),
    settings: tables.filter((table) => table.setting),
  };
}

/** A table's orders by the head they belong to: of its columns, or else of its rows. */
export function placeOrders(table: StudyTable): {
  ofColumns: Map<string, StudyOrder>;
  ofRows: Map<string, StudyOrder>;
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
  /** Orders that have a coefficient. */
  ranked: number;
  /** Of those, the ones in which most pairs stand as published (τ above a half). */
  agree: number;
  /** Numbers of ours that stand beside a published one. */
  paired: number;
  /** All published numbers. */
  published: number;
  /** Of ours, those under a verdict other than `ok`, and which verdicts these are. */
  flagged: number;
  warnings: string[];
}

/** How far ours agree with the study, in counts. */
export function score(tables: readonly StudyTable[], across: readonly StudyOrder[]): Score {
  const taus = [...tables.flatMap((table) => table.orders), ...across].flatMap((order) =>
    order.kendall === null || order.kendall === undefined ? [] : [order.kendall],
  );
  const slots = tables
    .filter((table) => !table.setting)
    .flatMap((table) => table.rows)
    .flatMap((row) => row.cells)
    .flatMap((cell) => cell.slots);
  const ours = slots.filter(({ ours: { summary } }) => summary !== null && summary !== undefined);
  const warned = ours.map((slot) => slot.ours.verdicts.filter((verdict) => verdict !== 'ok'));
  return {
    flagged: warned.filter((verdicts) => verdicts.length > 0).length,
    warnings: [...new Set(warned.flat())],
    ranked: taus.length,
    agree: taus.filter((tau) => tau > 0.5).length,
    paired: slots.filter((slot) => slot.ratio !== null && slot.ratio !== undefined).length,
    published: slots.filter((slot) => slot.published !== null && slot.published !== undefined)
      .length,
  };
}

export function countFindings(
  claims: readonly StudyClaim[],
): Record<StudyClaim['finding'], number> {
  const counts = {
    holds: 0,
    does_not_hold: 0,
    inconclusive: 0,
    not_measured: 0,
    not_checkable: 0,
  };
  for (const claim of claims) counts[claim.finding] += 1;
  return counts;
}

/** Whether ours say anything in this cell. */
export function hasOurs(cell: StudyCell): boolean {
  return cell.slots.some(
    ({ ours }) => (ours.summary !== null && ours.summary !== undefined) || ours.unresponsive,
  );
}
