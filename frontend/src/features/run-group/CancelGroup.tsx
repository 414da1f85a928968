import { api } from '@/api/client';
import { isFinished } from '@/api/runs';
import type { RunGroupOut } from '@/api/schema';
import { ConfirmButton } from '@/components/ConfirmButton';

/** Cancels all runs of a group that have not ended. Absent if the visitor may not. */
export function CancelGroup({ group }: { group: RunGroupOut }) {
  const cancel = api.useMutation('post', '/api/v1/run-groups/{group}/cancel');
  const isRequested = group.runs.every(
    ({ status, cancel_requested: requested }) => isFinished(status) || requested,
  );
  if (!group.may_cancel || isRequested) return null;
  return (
    <ConfirmButton
      label="Cancel all…"
      title="Cancel the runs on all hosts?"
      action="Cancel all runs"
      sending={cancel}
      onConfirm={(close) => {
        cancel.mutate({ params: { path: { group: group.slug } } }, { onSuccess: close });
      }}
    >
      Queued trials end at once, and current trials within moments. Finished trials stay.
    </ConfirmButton>
  );
}
