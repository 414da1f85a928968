/** Orders the warnings of a result; pure. */
import type { VerdictOut } from '@/api/schema';

/** Return the warnings, those that exclude the result first, then those of most trials. */
export function orderBySeverity(warnings: readonly VerdictOut[]): VerdictOut[] {
  return warnings
    .filter(({ verdict }) => verdict !== 'ok')
    .sort(
      (a, b) =>
        Number(b.excludes_from_ranking) - Number(a.excludes_from_ranking) || b.trials - a.trials,
    );
}
