import { Stack } from '@mantine/core';
import { api } from '@/api/client';
import type { RunOut } from '@/api/schema';
import { ConfirmDialog } from '@/components/ConfirmDialog';

interface ArchiveRunDialogProps {
  run: RunOut;
  opened: boolean;
  onClose: () => void;
}

/** Explains what archiving removes, and archives the run after a confirmation. */
export function ArchiveRunDialog({ run, opened, onClose }: ArchiveRunDialogProps) {
  const archive = api.useMutation('post', '/api/v1/runs/{run_id}/archive');
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Archive “${run.title}”?`}
      action="Archive the run"
      cancel="Keep the seconds"
      sending={archive}
      onConfirm={() =>
        archive.mutate({ params: { path: { run_id: run.id } } }, { onSuccess: onClose })
      }
    >
      <Stack gap="sm">
        <div>
          Tacho removes the seconds of all trials. The values of each second of each trial are lost,
          and this cannot be undone.
        </div>
        <div>
          The answer, the ranking, all estimates, the charts, the latency distributions, the values
          of each trial, and the logs stay. Links keep working.
        </div>
      </Stack>
    </ConfirmDialog>
  );
}
