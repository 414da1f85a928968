/** Describes how the trials of a cell warmed up; pure. */
import type { WarmUp } from '@/api/trials';
import { formatCount } from '@/lib/format';

/** `2–5 s`, `4 s`. */
function span(seconds: readonly number[]): string {
  const [low, high] = [Math.min(...seconds), Math.max(...seconds)];
  return low === high ? `${low} s` : `${low}–${high} s`;
}

/** Return `steady after 4–5 s`; when trials differ, each outcome with its count. */
export function describeWarmUps(warmUps: readonly WarmUp[]): string {
  const steady = warmUps.filter((warmUp) => warmUp.is_steady === true);
  const unsettled = warmUps.filter((warmUp) => warmUp.is_steady === false);
  const unasked = warmUps.filter((warmUp) => warmUp.is_steady === null);
  const kinds = [
    { trials: steady, says: `steady after ${span(steady.map((warmUp) => warmUp.seconds))}` },
    {
      trials: unsettled,
      says: `did not settle within ${span(unsettled.map((warmUp) => warmUp.cap_seconds))}`,
    },
    { trials: unasked, says: `warmed up for ${span(unasked.map((warmUp) => warmUp.seconds))}` },
  ].filter(({ trials }) => trials.length > 0);
  return kinds
    .map(({ trials, says }) =>
      kinds.length === 1 ? says : `${says} in ${formatCount(trials.length, 'trial')}`,
    )
    .join(', ');
}
