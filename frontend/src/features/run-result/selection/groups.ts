/** Groups cells that can be compared: same scenario, profile and parameters. */
import type { Run, RunCell } from '@/api/runs';
import { words } from '@/lib/format';

export interface Group {
  /** Used in the URL. */
  key: string;
  scenario: RunCell['scenario'];
  profile: string;
  kind: RunCell['kind'];
  parameters: Record<string, number>;
  cells: RunCell[];
}

export function groupCells(run: Run): Group[] {
  const groups: Group[] = [];
  for (const cell of run.cells) {
    const known = groups.find(
      (group) =>
        group.scenario.slug === cell.scenario.slug &&
        group.profile === cell.profile &&
        sameParameters(group.parameters, cell.parameters),
    );
    if (known) {
      known.cells.push(cell);
      continue;
    }
    const name = `${cell.scenario.slug}.${cell.profile}`;
    const twins = groups.filter((group) => group.key.startsWith(name)).length;
    const { scenario, profile, kind, parameters } = cell;
    const key = twins === 0 ? name : `${name}.${twins + 1}`;
    groups.push({ key, scenario, profile, kind, parameters, cells: [cell] });
  }
  return groups;
}

/** Groups that are shown together: a sweep of one parameter, or a single group. */
export interface Block {
  key: string;
  /** Null where the block is one group. */
  sweep: Sweep | null;
  /** In ascending order of the swept value. */
  groups: [Group, ...Group[]];
}

export interface Sweep {
  parameter: string;
  values: number[];
}

/** Return the groups as blocks. Groups of one scenario and profile that differ in one parameter form a sweep. */
export function listBlocks(groups: readonly Group[]): Block[] {
  const bundles: [Group, ...Group[]][] = [];
  for (const group of groups) {
    const known = bundles.find(
      ([first]) => first.scenario.slug === group.scenario.slug && first.profile === group.profile,
    );
    if (known) known.push(group);
    else bundles.push([group]);
  }
  return bundles.flatMap((bundle): Block[] => {
    const parameter = sweptIn(bundle);
    if (parameter === null) {
      return bundle.map((group) => ({ key: group.key, sweep: null, groups: [group] }));
    }
    const value = (group: Group) => group.parameters[parameter] ?? 0;
    const key = bundle[0].key;
    const sorted = bundle.sort((a, b) => value(a) - value(b));
    return [{ key, sweep: { parameter, values: sorted.map(value) }, groups: sorted }];
  });
}

/** Return the only parameter in which groups of the same frameworks differ; else null. */
function sweptIn(groups: readonly [Group, ...Group[]]): string | null {
  const [first] = groups;
  if (groups.length === 1) return null;
  const differing = Object.keys(first.parameters).filter((name) =>
    groups.some((group) => group.parameters[name] !== first.parameters[name]),
  );
  const frameworks = (group: Group) =>
    group.cells
      .map((cell) => cell.framework.slug)
      .sort()
      .join();
  const complete = groups.every((group) => frameworks(group) === frameworks(first));
  return complete && differing.length === 1 ? (differing[0] ?? null) : null;
}

function sameParameters(a: Record<string, number>, b: Record<string, number>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}

export function blockTitle(block: Block, all: readonly Block[]): string {
  const [group] = block.groups;
  const slug = group.scenario.slug;
  const alone = all.filter((item) => item.groups[0].scenario.slug === slug).length === 1;
  const name = alone ? group.scenario.name : `${group.scenario.name}, ${words(group.profile)}`;
  const twin = /\.(\d+)$/.exec(block.key)?.[1];
  return twin === undefined ? name : `${name} (${twin})`;
}
