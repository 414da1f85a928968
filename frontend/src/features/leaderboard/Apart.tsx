import { Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ApartOut, ResultItem } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { Verdicts } from '@/components/VerdictBadge';
import { describeDifference } from '@/lib/differences';
import classes from './Apart.module.css';

const MOST_NAMED = 3;

const RANKED_INSTEAD: Record<NonNullable<ApartOut['ranked_instead']>, string> = {
  same_run: 'Another result of the same run is ranked above',
  older_run: 'An older result of this framework is ranked above',
};

interface ApartListProps {
  results: readonly ApartOut[];
  onBoard: (board: string) => void;
}

/** Lists results measured under other conditions, with the differences. */
export function ApartList({ results, onBoard }: ApartListProps) {
  return (
    <ul className={classes.list}>
      {results.map(({ result, board, differences, ranked_instead: ranked }) => (
        <li key={result.cell_id}>
          <Box component="span" fw={500}>
            <MarkedName {...result.framework} />
          </Box>
          <span className={ui.quiet}>
            {differences.length === 0
              ? 'Different version of the measuring code.'
              : differences.slice(0, MOST_NAMED).map(describeDifference).join('; ')}
            {differences.length > MOST_NAMED && `; and ${differences.length - MOST_NAMED} more`}
            {ranked && `. ${RANKED_INSTEAD[ranked]}`}
          </span>
          <Group component="span" gap="md" align="normal" wrap="nowrap">
            <Link to="/r/$run" params={{ run: result.run_slug }}>
              <Ago at={result.at} />
            </Link>
            <button type="button" className={classes.link} onClick={() => onBoard(board)}>
              See its leaderboard
            </button>
          </Group>
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
          <Box component="span" fw={500}>
            <MarkedName {...result.framework} />
          </Box>
          <span className={ui.quiet}>
            <Verdicts verdicts={result.verdicts} />
          </span>
          <Group component="span" gap="md" align="normal" wrap="nowrap">
            <Link to="/r/$run" params={{ run: result.run_slug }}>
              <Ago at={result.at} />
            </Link>
          </Group>
        </li>
      ))}
    </ul>
  );
}
