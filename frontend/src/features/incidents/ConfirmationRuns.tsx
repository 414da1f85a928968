import { Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isFinished } from '@/api/runs';
import type { IncidentOut, RunListItem } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ProgressBar } from '@/components/ProgressBar';
import { Row } from '@/components/Row';
import { StatusBadge } from '@/components/StatusBadge';
import ui from '@/components/ui.module.css';
import { formatCount, formatDuration } from '@/lib/format';

/** Shows how far the confirmation runs of an incident are, or why there is none. */
export function ConfirmationRuns({ incident }: { incident: IncidentOut }) {
  const { confirmation_runs: runs, changes } = incident;
  if (runs.length === 0) {
    return (
      <Box component="p" m={0} maw="72ch" c="dimmed">
        No confirmation run. {changes[0]?.reason}
      </Box>
    );
  }
  return (
    <ul className={ui.rows}>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} incident={incident} />
      ))}
    </ul>
  );
}

function RunRow({ run, incident }: { run: RunListItem; incident: IncidentOut }) {
  const tested = incident.changes.filter((change) => change.confirmation?.run_slug === run.slug);
  return (
    <Row columns="minmax(0, 1fr) minmax(0, 340px)">
      <div>
        <Link to="/r/$run" params={{ run: run.slug }} className="wraps">
          {run.title}
        </Link>
        <div className={ui.quiet}>
          {formatCount(run.trials_per_cell, 'pair')} of trials, old build against new, for{' '}
          {formatCount(tested.length, 'series', 'series')}
        </div>
      </div>
      <Group gap="4px 12px" justify="flex-end">
        <StatusBadge status={run.status} />
        {isFinished(run.status) ? (
          <span className={ui.quiet}>
            <Ago at={run.finished_at ?? run.created_at} />
          </span>
        ) : (
          <Underway run={run} />
        )}
      </Group>
    </Row>
  );
}

function Underway({ run }: { run: RunListItem }) {
  const { progress } = run;
  const left = progress.estimated_seconds_left ?? null;
  const ahead = progress.queue_position ?? 0;
  const isWaiting = run.status === 'queued' && ahead > 0;
  return (
    <>
      <ProgressBar share={progress.share} label={`${run.title}: progress`} />
      <span className={ui.quiet}>
        {progress.trials_finished} of {formatCount(progress.trials_total, 'trial')}
        {isWaiting
          ? `, ${formatCount(ahead, 'run')} ahead`
          : left !== null && `, about ${formatDuration(left)} left`}
      </span>
    </>
  );
}
