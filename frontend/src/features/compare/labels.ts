/** Labels and dashes that distinguish compared results, also of one framework; pure. */
import type { Comparison, Compared, Pair } from '@/api/comparisons';
import { formatDateTime } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import { seriesDash } from '@/lib/tokens';

/** A result with its name here, its pair (null for the baseline) and the dash of its lines. */
export interface Entry {
  id: string;
  label: string;
  cell: Compared;
  pair: Pair | null;
  dash: string | undefined;
}

type Trait = (cell: Compared) => string;

/** Traits in which results of one framework may differ. */
const TRAITS: readonly Trait[] = [
  (cell) => cell.scenario.name,
  (cell) => describeLoad(cell),
  (cell) => cell.host,
  (cell) => cell.runtime,
  (cell) => formatDateTime(cell.at),
];

/** Return the baseline first, then the others, oldest first. */
export function listEntries({ cells, pairs, baseline }: Comparison): Entry[] {
  const entries = cells.map((cell): Entry => {
    const twins = cells.filter((candidate) => candidate.framework.slug === cell.framework.slug);
    return {
      id: cell.cell_id,
      label: labelOf(cell, twins),
      cell,
      pair: pairs.find((pair) => pair.cell_id === cell.cell_id) ?? null,
      dash: seriesDash(cell.framework.colour, twins.indexOf(cell)),
    };
  });
  return entries.sort((a, b) => Number(b.id === baseline) - Number(a.id === baseline));
}

function labelOf(cell: Compared, twins: readonly Compared[]): string {
  const name = cell.framework.name;
  if (twins.length === 1) return name;
  const differing = TRAITS.filter((trait) => twins.some((twin) => trait(twin) !== trait(cell)));
  const told = differing.map((trait) => trait(cell));
  const alike = (compared: Compared) => differing.every((trait) => trait(compared) === trait(cell));
  if (twins.filter(alike).length > 1) told.push(cell.run_slug);
  return `${name}, ${told.join(', ')}`;
}

/** Return the traits that all results share, shown once above them; empty if there are none. */
export function commonTraits(cells: readonly Compared[]): string[] {
  const [first, ...rest] = cells;
  if (first === undefined) return [];
  const shared = TRAITS.slice(0, 4).filter((trait) =>
    rest.every((other) => trait(other) === trait(first)),
  );
  return shared.map((trait) => trait(first));
}
