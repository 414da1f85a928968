import type { LeaderboardOut } from '@/api/schema';
import { LinkButton } from '@/components/LinkButton';
import { EmptyState } from '@/components/States';

/** States that a board has no result yet, and offers to plan a run. */
export function EmptyBoard({ board }: { board: LeaderboardOut }) {
  const place = board.host === null ? 'yet' : `on ${board.host}`;
  return (
    <EmptyState
      title={`No valid result for ${board.scenario.name} ${place}`}
      action={<LinkButton to="/runs/new">Plan a run</LinkButton>}
    >
      Run some frameworks on it. The latest valid result of each is ranked here.
    </EmptyState>
  );
}
