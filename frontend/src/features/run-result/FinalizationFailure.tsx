import { Box } from '@mantine/core';
import type { RunOut } from '@/api/schema';
import { ErrorState } from '@/components/States';
import { formatCount, formatDateTime } from '@/lib/format';

/** Explains why a finished run is not in any history yet. Draws nothing for other runs. */
export function FinalizationFailure({ run }: { run: RunOut }) {
  const failure = run.finalization_failure;
  if (!failure) return null;
  const tried = `Tacho tried ${formatCount(failure.attempts, 'time')}; the next attempt is at ${formatDateTime(failure.next_at)}.`;
  return (
    <Box mb={24}>
      <ErrorState
        error={{
          title: 'This run is not yet in histories, comparisons and leaderboards',
          message: `${failure.detail.replace(/\.?$/, '.')} ${tried}`,
        }}
      />
    </Box>
  );
}
