import { Button, Group } from '@mantine/core';
import { api, LEAVES } from '@/api/client';
import type { RunListItem, ScheduleOut } from '@/api/schema';
import { useAccess, useMay } from '@/api/session';
import { ConfirmButton } from '@/components/ConfirmButton';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';

interface ScheduleActionsProps {
  schedule: ScheduleOut;
  onEdit: () => void;
  onStarted: (run: RunListItem) => void;
  onDeleted: () => void;
}

/** Run now, pause, edit, delete. */
export function ScheduleActions({ schedule, onEdit, onStarted, onDeleted }: ScheduleActionsProps) {
  const run = api.useMutation('post', '/api/v1/schedules/{schedule_id}/run', LEAVES);
  const change = api.useMutation('patch', '/api/v1/schedules/{schedule_id}');
  const remove = api.useMutation('delete', '/api/v1/schedules/{schedule_id}', LEAVES);
  const { isAllowed: mayRun, denial } = useAccess('run');
  const mayChange = useMay('manage');
  const refused = [run, change].find((mutation) => mutation.error !== null);
  return (
    <>
      <Group gap="xs">
        <DenialNote denial={denial} action="start or change it" />
        {mayRun && (
          <Button
            size="xs"
            loading={run.isPending}
            onClick={() =>
              run.mutate(
                { params: { path: { schedule_id: schedule.id } } },
                { onSuccess: onStarted },
              )
            }
          >
            Run now
          </Button>
        )}
        {mayChange && (
          <>
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() =>
                change.mutate({
                  params: { path: { schedule_id: schedule.id } },
                  body: { enabled: !schedule.enabled },
                })
              }
            >
              {schedule.enabled ? 'Pause' : 'Resume'}
            </Button>
            <Button size="xs" variant="default" onClick={onEdit}>
              Edit
            </Button>
            <ConfirmButton
              size="xs"
              label="Delete…"
              title={`Delete “${schedule.name}”?`}
              action="Delete schedule"
              sending={remove}
              request={{ params: { path: { schedule_id: schedule.id } } }}
              onSuccess={onDeleted}
            >
              This deletes its log. Its runs are kept.
            </ConfirmButton>
          </>
        )}
      </Group>
      {refused?.error && <Refusal error={refused.error} />}
    </>
  );
}
