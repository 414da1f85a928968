import { Link } from '@tanstack/react-router';
import type { HostStateOut } from '@/api/schema';
import { type Column, ROW_TITLE } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { type Outcome, OutcomeBadge } from '@/components/OutcomeBadge';
import { EmptyState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatDuration } from '@/lib/format';

/** Lists the bench hosts with the work that waits for each. */
export function HostWorkTable({ hosts }: { hosts: readonly HostStateOut[] }) {
  if (hosts.length === 0) {
    return (
      <EmptyState title="No bench host">
        Start a worker, or add a host on the page Hosts. Until then, no run can start.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Hosts and queue"
      layout="cards"
      columns={COLUMNS}
      rows={hosts}
      rowKey={({ name }) => name}
    />
  );
}

const COLUMNS: readonly Column<HostStateOut>[] = [
  {
    header: 'Host',
    ...ROW_TITLE,
    cell: ({ name }) => (
      <Link to="/hosts/$name" params={{ name }}>
        {name}
      </Link>
    ),
  },
  { header: 'State', card: 'value', cell: (host) => <OutcomeBadge outcome={findOutcome(host)} /> },
  {
    header: 'Last heartbeat',
    cardLabel: 'Last heartbeat',
    cell: ({ unseen_seconds: seconds }) => `${formatDuration(seconds)} ago`,
  },
  {
    header: 'Version',
    card: 'foot',
    cardLabel: 'Version',
    wraps: true,
    cell: ({ worker_version: version }) => version ?? <span className={ui.quiet}>unknown</span>,
  },
  {
    header: 'Trials that wait',
    card: 'foot',
    cardLabel: 'Trials that wait',
    isNumeric: true,
    cell: ({ queued_trials: trials }) => trials,
  },
  {
    header: 'Oldest run waits',
    card: 'foot',
    cardLabel: 'Oldest run waits',
    cell: ({ oldest_run_seconds: seconds }) =>
      seconds === 0 ? <span className={ui.quiet}>–</span> : formatDuration(seconds),
  },
];

function findOutcome(host: HostStateOut): Outcome {
  if (host.is_paused) return 'paused';
  if (!host.is_online) return 'offline';
  if (host.is_outdated) return 'outdated';
  if (host.lacks_disk) return 'low_disk';
  return host.is_busy ? 'busy' : 'ready';
}
