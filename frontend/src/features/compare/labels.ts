/** Labels and dashes that distinguish compared results, also of one framework; pure. */
import type { ComparedResult, ComparisonOut, PairOut } from '@/api/schema';
import { describeLoad } from '@/lib/load';
import { seriesDash } from '@/lib/tokens';

/** A result with its name here, its pair (null for the baseline) and the dash of its lines. */
export interface Entry {
  id: string;
  label: string;
  cell: ComparedResult;
  pair: PairOut | null;
  dash: string | undefined;
}

type Trait = (cell: ComparedResult) => string;

/** Traits that results may share. */
const TRAITS: readonly Trait[] = [
  (cell) => cell.scenario.name,
  (cell) => describeLoad(cell),
  (cell) => cell.host,
  (cell) => cell.runtime,
];

/** Return the baseline first, then the others, oldest first. */
export function listEntries({ cells, pairs, baseline }: ComparisonOut): Entry[] {
  const entries = cells.map((cell): Entry => {
    const twins = cells.filter((candidate) => candidate.framework.slug === cell.framework.slug);
    return {
      id: cell.cell_id,
      label: cell.label,
      cell,
      pair: pairs.find((pair) => pair.cell_id === cell.cell_id) ?? null,
      dash: seriesDash(twins.indexOf(cell)),
    };
  });
  return entries.sort((a, b) => Number(b.id === baseline) - Number(a.id === baseline));
}

/** Return the traits of a result that not all results share. */
export function ownTraits(cell: ComparedResult, cells: readonly ComparedResult[]): string[] {
  return TRAITS.filter((trait) => cells.some((other) => trait(other) !== trait(cell))).map(
    (trait) => trait(cell),
  );
}

/** Return the traits that all results share, shown once above them; empty if there are none. */
export function commonTraits(cells: readonly ComparedResult[]): string[] {
  const [first, ...rest] = cells;
  if (first === undefined) return [];
  const shared = TRAITS.filter((trait) => rest.every((other) => trait(other) === trait(first)));
  return shared.map((trait) => trait(first));
}
