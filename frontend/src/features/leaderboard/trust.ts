/** Describes how far the results of a board can be trusted; pure. */
import type { LeaderboardOut } from '@/api/schema';
import { formatCount } from '@/lib/format';

type Counts = Pick<LeaderboardOut, 'trusted' | 'unwarned'> & { entries: readonly unknown[] };

export function describeTrust({ trusted, unwarned, entries }: Counts): string {
  if (unwarned === 0) return 'Every result has a warning.';
  const warned = entries.length - unwarned;
  const verb = warned === 1 ? 'has' : 'have';
  const first =
    warned === 0
      ? 'No result has a warning.'
      : `${String(warned)} of ${formatCount(entries.length, 'result')} ${verb} a warning.`;
  if (trusted === unwarned) return `${first} The host is calibrated.`;
  return `${first} The host has not been calibrated in the state in which it measured them.`;
}
