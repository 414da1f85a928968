import { Button } from '@mantine/core';
import { useState } from 'react';
import type { RunListItem } from '@/api/runs';
import {
  type Schedule,
  useChangeSchedule,
  useDeleteSchedule,
  useRunSchedule,
} from '@/api/schedules';
import { useAccess, useMay } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';
import classes from './Schedules.module.css';

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
  const [asks, setAsks] = useState(false);
  const { isAllowed: mayRun, denial } = useAccess('run');
  const mayChange = useMay('manage');
  const refused = [run, change, remove].find((mutation) => mutation.error !== null);
  return (
    <>
      <div className={classes.actions}>
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
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setAsks(true);
              }}
            >
              Delete…
            </Button>
          </>
        )}
      </div>
      {refused?.error && <Refusal error={refused.error} />}
      <Dialog
        opened={asks}
        onClose={() => {
          setAsks(false);
        }}
        title={`Delete “${schedule.name}”?`}
        centered
      >
        <p>This deletes its log. Its runs are kept.</p>
        <div className={classes.actions}>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => {
              remove.mutate(undefined, {
                onSuccess: onDeleted,
                onSettled: () => {
                  setAsks(false);
                },
              });
            }}
          >
            Delete schedule
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setAsks(false);
            }}
          >
            Cancel
          </Button>
        </div>
      </Dialog>
    </>
  );
}
