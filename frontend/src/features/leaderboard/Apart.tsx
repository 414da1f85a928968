import { Link } from '@tanstack/react-router';
import type { ResultItem } from '@/api/cells';
import type { ApartResult, LeaderboardEntry } from '@/api/leaderboard';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import { Verdicts } from '@/components/VerdictBadge';
import { describeDifference } from '@/lib/differences';
import classes from './Apart.module.css';
import { sayRanked } from './ranked';

const MOST_NAMED = 3;

interface ApartListProps {
  results: readonly ApartResult[];
  /** The entries of the board above. */
  entries: readonly LeaderboardEntry[];
  onBoard: (board: string) => void;
}

/** Lists results measured under other conditions, with the differences. */
export function ApartList({ results, entries, onBoard }: ApartListProps) {
  return (
    <ul className={classes.list}>
      {results.map(({ result, board, differences }) => (
        <li key={result.cell_id}>
          <span className={classes.name}>
            <MarkedName {...result.framework} />
          </span>
          <span className={classes.why}>
            {differences.length === 0
              ? 'Different version of the measuring code.'
              : differences.slice(0, MOST_NAMED).map(describeDifference).join('; ')}
            {differences.length > MOST_NAMED && `; and ${differences.length - MOST_NAMED} more`}
            {sayRanked(result, entries)}
          </span>
          <span className={classes.when}>
            <Link to="/r/$run" params={{ run: result.run_slug }}>
              <Ago at={result.at} />
            </Link>
            <button
              type="button"
              className={classes.link}
              onClick={() => {
                onBoard(board);
              }}
            >
              See its leaderboard
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Lists frameworks without a valid result, with the verdicts. */
export function ExcludedList({ results }: { results: readonly ResultItem[] }) {
  return (
    <ul className={classes.list}>
      {results.map((result) => (
        <li key={result.cell_id}>
          <span className={classes.name}>
            <MarkedName {...result.framework} />
          </span>
          <span className={classes.why}>
            <Verdicts verdicts={result.verdicts} />
          </span>
          <span className={classes.when}>
            <Link to="/r/$run" params={{ run: result.run_slug }}>
              <Ago at={result.at} />
            </Link>
          </span>
        </li>
      ))}
    </ul>
  );
}
