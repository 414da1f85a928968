import { Box } from '@mantine/core';
import type { Run } from '@/api/runs';
import { ErrorState } from '@/components/States';
import { formatCount, formatDateTime } from '@/lib/format';

/** Why an ended run is in no history yet; nothing for nearly every run. */
export function FinalizationFailure({ run }: { run: Run }) {
  const failure = run.finalization_failure;
  if (!failure) return null;
  const tried = `Tried ${formatCount(failure.attempts, 'time')}; again by itself at ${formatDateTime(failure.next_at)}.`;
  return (
    <Box mb={24}>
      <ErrorState
        error={{
          title: 'This run is not in histories, comparisons and leaderboards yet',
          message: `${failure.detail.replace(/\.?$/, '.')} ${tried}`,
        }}
      />
    </Box>
  );
}
