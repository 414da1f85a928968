/** Orders the warnings of a result; pure. */
import type { CellVerdict } from '@/api/runs';

/** Return the warnings, those that exclude the result first, then those of most trials. */
export function orderBySeverity(warnings: readonly CellVerdict[]): CellVerdict[] {
  return warnings
    .filter(({ verdict }) => verdict !== 'ok')
    .sort(
      (a, b) =>
        Number(b.excludes_from_ranking) - Number(a.excludes_from_ranking) || b.trials - a.trials,
    );
}
