import { Button, Group } from '@mantine/core';
import type { RunListItem } from '@/api/runs';
import {
  type Schedule,
  useChangeSchedule,
  useDeleteSchedule,
  useRunSchedule,
} from '@/api/schedules';
import { useAccess, useMay } from '@/api/session';
import { ConfirmButton } from '@/components/ConfirmButton';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';

interface ScheduleActionsProps {
  schedule: Schedule;
  onEdit: () => void;
  onStarted: (run: RunListItem) => void;
  onDeleted: () => void;
}

/** Run now, pause, edit, delete. */
export function ScheduleActions({ schedule, onEdit, onStarted, onDeleted }: ScheduleActionsProps) {
  const run = useRunSchedule(schedule.id);
  const change = useChangeSchedule(schedule.id);
  const remove = useDeleteSchedule(schedule.id);
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
            onClick={() => {
              run.mutate(undefined, { onSuccess: onStarted });
            }}
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
              onClick={() => {
                change.mutate({ enabled: !schedule.enabled });
              }}
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
              onConfirm={() => {
                remove.mutate(undefined, { onSuccess: onDeleted });
              }}
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
