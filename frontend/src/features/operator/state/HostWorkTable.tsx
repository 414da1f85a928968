import { Link } from '@tanstack/react-router';
import type { HostStateOut } from '@/api/schema';
import { type Column, ROW_TITLE, named } from '@/components/data-table/column';
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
    ...named('Last heartbeat'),
    cell: ({ unseen_seconds: seconds }) => `${formatDuration(seconds)} ago`,
  },
  {
    ...named('Version'),
    card: 'foot',
    wraps: true,
    cell: ({ worker_version: version }) => version ?? <span className={ui.quiet}>unknown</span>,
  },
  {
    ...named('Trials that wait'),
    card: 'foot',
    isNumeric: true,
    cell: ({ queued_trials: trials }) => trials,
  },
  {
    ...named('Oldest run waits'),
    card: 'foot',
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
