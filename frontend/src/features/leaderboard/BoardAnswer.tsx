import type { LeaderboardOut } from '@/api/schema';
import { Words } from '@/components/Words';
import { formatCount } from '@/lib/format';
import classes from './BoardAnswer.module.css';

/** Describes the ranking of a board, and how far it can be trusted. */
export function BoardAnswer({ board }: { board: LeaderboardOut }) {
  const [first, ...more] = board.sentences;
  if (first === undefined) return null;
  return (
    <section className={classes.answer} aria-label="Answer">
      <h2>{first}</h2>
      <p>
        {more.join(' ')} {describeTrust(board)}
      </p>
      <Words texts={[...board.sentences, Object.keys(board.weights).length > 0 && 'composite']} />
    </section>
  );
}

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
