/** Describes how far the results of a board can be trusted; pure. */
import type { LeaderboardOut } from '@/api/schema';
import { formatCount } from '@/lib/format';

type Counts = Pick<LeaderboardOut, 'trusted' | 'unwarned'> & { entries: readonly unknown[] };

export function describeTrust({ trusted, unwarned, entries }: Counts): string {
  const all = formatCount(entries.length, 'result');
  if (unwarned === 0) return 'Every result has a warning.';
  const isAll = unwarned === entries.length;
  const article = entries.length > 1 ? 'All' : 'The';
  const counted = isAll ? `${article} ${all}` : `${String(unwarned)} of ${all}`;
  const verb = unwarned === 1 ? 'has' : 'have';
  const first = `${counted} ${verb} no warning`;
  if (trusted === unwarned) return `${first}, and the host is calibrated.`;
  return `${first}. The host has not been calibrated in the state in which it measured them.`;
}
