import { isFinished } from '@/api/runs';
import type { RunGroupOut } from '@/api/schema';
import { CancelButton } from '@/components/CancelButton';

/** Cancels all runs of a group that have not ended. Absent if the visitor may not. */
export function CancelGroup({ group }: { group: RunGroupOut }) {
  const isRequested = group.runs.every(
    ({ status, cancel_requested: requested }) => isFinished(status) || requested,
  );
  if (!group.may_cancel || isRequested) return null;
  return (
    <CancelButton
      subject={{ kind: 'group', name: group.slug, title: group.title }}
      label="Cancel all…"
    />
  );
}
