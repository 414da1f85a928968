/** Joins the groups of a run, which the server sends as lists of ids, with their cells. */
import type { CellOut, ResultGroupOut, RunOut } from '@/api/schema';

/** Cells that are ranked together: same scenario, profile and parameters. */
export type Group = Omit<ResultGroupOut, 'cells'> & { cells: CellOut[] };

/** Groups that are shown together: a sweep of one parameter, or a single group. */
export interface Block {
  key: string;
  label: string;
  /** Null where the block is one group. */
  sweep: Sweep | null;
  /** In ascending order of the swept value. */
  groups: [Group, ...Group[]];
}

export interface Sweep {
  parameter: string;
  values: number[];
}

export function listGroups(run: RunOut): Group[] {
  const cells = new Map(run.cells.map((cell) => [cell.id, cell]));
  return run.groups.map((group) => ({
    ...group,
    cells: group.cells.flatMap((id) => cells.get(id) ?? []),
  }));
}

export function listBlocks(run: RunOut): Block[] {
  const groups = new Map(listGroups(run).map((group) => [group.key, group]));
  return run.blocks.flatMap(({ key, label, parameter, groups: keys }): Block[] => {
    const [first, ...rest] = keys.flatMap((key) => groups.get(key) ?? []);
    if (first === undefined) return [];
    const all: Block['groups'] = [first, ...rest];
    const sweep = parameter === null ? null : sweepOf(parameter, all);
    return [{ key, label, sweep, groups: all }];
  });
}

function sweepOf(parameter: string, groups: readonly Group[]): Sweep {
  return { parameter, values: groups.map((group) => group.parameters[parameter] ?? 0) };
}

/** Return whether a sweep is drawn as bars: of two values, a line shows nothing between them. */
export function hasBars(sweep: Sweep): boolean {
  return sweep.values.length === 2;
}
