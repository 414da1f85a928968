import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { QueuedRun, QueueOfHost } from '@/api/schema';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { ProgressBar } from '@/components/ProgressBar';
import { EmptyState } from '@/components/States';
import { StatusBadge } from '@/components/StatusBadge';
import ui from '@/components/ui.module.css';
import { CancelButton } from '@/components/CancelButton';
import { formatCount, formatDateTime, formatDuration, words } from '@/lib/format';
import { useNow } from '@/lib/hooks';

const RENEW_MS = 10_000;

/** Shows the runs that a host measures or that wait for it. */
export function HostQueue({ queue }: { queue: QueueOfHost }) {
  const { host, runs } = queue;
  return (
    <Section
      title={host}
      hint={describeHost(queue)}
      actions={
        <Link to="/hosts/$name" params={{ name: host }}>
          About this host
        </Link>
      }
    >
      {queue.disk_shortage && (
        <Notice title="This host takes no new trials">{queue.disk_shortage}</Notice>
      )}
      {queue.state === 'leaving' && (
        <Notice title="This host is leaving">
          It finishes its current trial. Then its runs that have not ended are cancelled.
        </Notice>
      )}
      {runs.length === 0 ? (
        <EmptyState title="Nothing waits">{describeEmpty(queue)}</EmptyState>
      ) : (
        <DataTable
          label={`Queue of ${host}`}
          layout="cards"
          columns={
            queue.state === 'leaving' ? COLUMNS.filter(({ id }) => id !== 'expected') : COLUMNS
          }
          rows={runs}
          rowKey={({ run }) => run.id}
        />
      )}
    </Section>
  );
}

function describeEmpty({ state, is_usable: isUsable }: QueueOfHost): string {
  if (state === 'leaving') return 'It takes no new runs.';
  if (!isUsable) return 'The runs of other workspaces are not shown.';
  return state === 'idle' || state === 'busy'
    ? 'A run that is requested now starts when the host is free.'
    : 'A run that is requested now waits until the host takes trials again.';
}

function describeHost({ state, is_usable: isUsable, runs }: QueueOfHost): string {
  const waiting = runs.filter(({ run }) => run.status === 'queued').length;
  const parts = [
    words(state),
    waiting === 0 ? 'no run waits' : `${formatCount(waiting, 'run')} waiting`,
  ];
  if (!isUsable && state !== 'leaving') parts.push('reserved for other workspaces');
  return parts.join(' · ');
}

const COLUMNS: readonly Column<QueuedRun>[] = [
  {
    header: 'Run',
    ...ROW_TITLE,
    cell: ({ run }) => (
      <Link to="/r/$run" params={{ run: run.slug }} className={ui.link}>
        {run.title}
      </Link>
    ),
  },
  {
    ...named('State'),
    cell: ({ run }) => (
      <Group component="span" display="inline-flex" gap="sm" wrap="nowrap">
        <StatusBadge status={run.status} />
        {run.status === 'running' && (
          <ProgressBar share={run.progress.share} label={`${run.title}: progress`} />
        )}
      </Group>
    ),
  },
  {
    ...named('Requested by'),
    wraps: true,
    cell: ({ requested_by: requester }) => requester ?? <span className={ui.quiet}>–</span>,
  },
  {
    ...named('Waited'),
    cell: ({ run, waited_seconds: seconds }) => (
      <Hint text={`Requested ${formatDateTime(run.created_at)}`}>{formatDuration(seconds)}</Hint>
    ),
  },
  {
    id: 'expected',
    ...named('Expected'),
    cell: (item) => <Expected item={item} />,
  },
  actionColumn(
    ({ run, may_cancel: mayCancel }) =>
      mayCancel &&
      !run.cancel_requested && (
        <CancelButton
          subject={{ kind: 'run', name: run.id, title: run.title }}
          label="Cancel…"
          name={`Cancel ${run.title}…`}
        />
      ),
    'line',
  ),
];

function Expected({ item }: { item: QueuedRun }) {
  const { expected_start_at: start, expected_end_at: end } = item;
  const now = useNow(RENEW_MS);
  const moment = start ?? end;
  if (moment === null) return <span className={ui.quiet}>when the host takes trials</span>;
  const seconds = Math.max(0, (new Date(moment).getTime() - now) / 1000);
  const shown = seconds < 1 ? 'now' : `in ${formatDuration(seconds)}`;
  return (
    <Hint text={formatDateTime(moment)}>
      <time dateTime={moment}>{start === null ? `ends ${shown}` : `starts ${shown}`}</time>
    </Hint>
  );
}
