/** The size of a change in the figures that are shown; pure. */
import type { ChangeRatio, ShiftOut } from '@/api/schema';

/** Return the ratio of the confirmation run, or else that of the history. */
export function sizeOf(shift: ShiftOut): ChangeRatio {
  return shift.confirmation?.found ?? shift.history;
}

/** Return `worse`, `better`, or that the builds of the confirmation run cannot be told apart yet. */
export function judge(shift: ShiftOut): string {
  const { low = null, high = null } = shift.confirmation?.found ?? {};
  if (low !== null && high !== null && low <= 1 && high >= 1) return 'cannot be told apart yet';
  return shift.is_worse ? 'worse' : 'better';
}

export type Tone = 'bad' | 'good' | 'quiet';

/** Return how a change is coloured: grey if it does not concern the service. */
export function toneOf({ status, is_worse: isWorse }: ShiftOut): Tone {
  if (status === 'dismissed' || status === 'host_drift') return 'quiet';
  return isWorse ? 'bad' : 'good';
}
