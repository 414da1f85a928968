/** Finds what is the same for all results of a group, so that a page shows it once; pure. */
import type { CellOut, RunOut } from '@/api/schema';

type CellVerdict = CellOut['verdicts'][number];

/**
 * Return the warnings that all measured results have. Excluded results do not count, unless all are
 * excluded. The detail is empty if it differs between results.
 */
export function listSharedWarnings(cells: readonly CellOut[]): CellVerdict[] {
  const measured = cells.filter((cell) => cell.verdicts.length > 0);
  const valid = measured.filter((cell) => !cell.excluded);
  const [first, ...others] = valid.length > 0 ? valid : measured;
  if (first === undefined || others.length === 0) return [];
  return first.verdicts.flatMap((warning) => {
    if (warning.verdict === 'ok' || (warning.excludes_from_ranking && !first.excluded)) return [];
    const same = others.map((cell) =>
      cell.verdicts.find(({ verdict }) => verdict === warning.verdict),
    );
    if (same.includes(undefined)) return [];
    const isEqual = same.every((other) => other?.detail === warning.detail);
    const trials = same.reduce((sum, other) => sum + (other?.trials ?? 0), warning.trials);
    return [{ ...warning, detail: isEqual ? warning.detail : '', trials }];
  });
}

/** Return the sentences about trials without isolation, and about roles that share CPUs. */
export function listConditions(environment: RunOut['environment']): string[] {
  const lists = [environment.isolation_notes, environment.cpu_sharing];
  return lists.flatMap((sentences) => (Array.isArray(sentences) ? sentences.map(String) : []));
}
