import type { RunOut } from '@/api/schema';
import { EmptyState } from '@/components/States';

/** Explains why the charts over time are missing. Draws nothing while the seconds are stored. */
export function RemovedSeconds({ run }: { run: RunOut }) {
  if (!areSecondsRemoved(run)) return null;
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      <EmptyState title="Heat maps and charts over time are not available">
        {run.removal?.seconds_note}
      </EmptyState>
    </div>
  );
}

export function areSecondsRemoved(run: RunOut): boolean {
  return run.removal?.seconds_at != null;
}
