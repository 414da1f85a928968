import { Loader, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from '@/api/client';
import type { RunDependents, RunOut } from '@/api/schema';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { Refusal } from '@/components/Refusal';
import { formatCount } from '@/lib/format';

interface DeleteRunDialogProps {
  run: RunOut;
  opened: boolean;
  onClose: () => void;
}

/** Lists what depends on a run, and deletes the run after a confirmation. */
export function DeleteRunDialog({ run, opened, onClose }: DeleteRunDialogProps) {
  const dependents = api.useQuery(
    'get',
    '/api/v1/runs/{run_id}/dependents',
    { params: { path: { run_id: run.id } } },
    { enabled: opened },
  );
  const deletion = api.useMutation('delete', '/api/v1/runs/{run_id}', LEAVES);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Delete “${run.title}”?`}
      action="Delete the run"
      cancel="Keep the run"
      disabled={!dependents.data}
      sending={deletion}
      onConfirm={() =>
        deletion.mutate(
          { params: { path: { run_id: run.id } } },
          { onSuccess: () => void navigate({ to: '/runs' }) },
        )
      }
    >
      <Stack gap="sm">
        {dependents.isPending && <Loader size="sm" aria-label="Counting what depends on the run" />}
        {dependents.error && <Refusal error={dependents.error} />}
        {dependents.data && <Consequences dependents={dependents.data} />}
      </Stack>
    </ConfirmDialog>
  );
}

function Consequences({ dependents }: { dependents: RunDependents }) {
  const deleted = listCounts([
    [
      dependents.trials,
      'trial, with seconds, logs and charts',
      'trials, with seconds, logs and charts',
    ],
    [dependents.changes, 'detected change', 'detected changes'],
    [dependents.host_events, 'host event', 'host events'],
    [dependents.scheduled_runs, 'start of a schedule', 'starts of schedules'],
  ]);
  const kept = listCounts([
    [dependents.reruns, 'run that repeats it', 'runs that repeat it'],
    [dependents.snapshots, 'saved comparison', 'saved comparisons'],
  ]);
  return (
    <>
      <Text size="sm">
        This cannot be undone, and the link to the run stops working. Tacho deletes:
      </Text>
      <Items items={deleted} />
      {kept.length > 0 && (
        <>
          <Text size="sm">These stay:</Text>
          <Items items={kept} />
        </>
      )}
    </>
  );
}

function Items({ items }: { items: string[] }) {
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

/** Returns a text for each count that is not zero. */
function listCounts(counts: [count: number, noun: string, plural: string][]): string[] {
  return counts.filter(([count]) => count > 0).map((count) => formatCount(...count));
}
