import { Anchor, Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ApartOut, ResultItem } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import { Row } from '@/components/Row';
import ui from '@/components/ui.module.css';
import { Verdicts } from '@/components/VerdictBadge';
import { describeDifference } from '@/lib/differences';

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
    <ul className={ui.rows}>
      {results.map(({ result, board, differences, ranked_instead: ranked }) => (
        <Row key={result.cell_id} columns="minmax(160px, 1fr) 3fr auto">
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
            <Anchor component="button" type="button" onClick={() => onBoard(board)}>
              See its leaderboard
            </Anchor>
          </Group>
        </Row>
      ))}
    </ul>
  );
}

/** Lists frameworks without a valid result, with the verdicts. */
export function ExcludedList({ results }: { results: readonly ResultItem[] }) {
  return (
    <ul className={ui.rows}>
      {results.map((result) => (
        <Row key={result.cell_id} columns="minmax(160px, 1fr) 3fr auto">
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
        </Row>
      ))}
    </ul>
  );
}
