import type { LeaderboardOut } from '@/api/schema';
import { Words } from '@/components/Words';
import classes from './BoardAnswer.module.css';
import { describeTrust } from './trust';

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
