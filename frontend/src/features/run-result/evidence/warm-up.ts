/** Describes how the trials of a cell warmed up; pure. */
import type { WarmUpsOut } from '@/api/schema';
import { formatCount } from '@/lib/format';

/** Return `steady after 11–17 s`; when trials differ, each outcome with its count. */
export function describeWarmUps(warmUps: WarmUpsOut): string {
  const { shortest_seconds: low, longest_seconds: high, cap_seconds: cap } = warmUps;
  const took = low === high ? `${low} s` : `${low}–${high} s`;
  const kinds = [
    { trials: warmUps.steady, says: `steady after ${took}` },
    { trials: warmUps.unsteady, says: `not steady within ${cap} s` },
    { trials: warmUps.untested, says: `took ${took}, not tested` },
  ].filter(({ trials }) => trials > 0);
  return kinds
    .map(({ trials, says }) =>
      kinds.length === 1 ? says : `${says} in ${formatCount(trials, 'trial')}`,
    )
    .join(', ');
}
