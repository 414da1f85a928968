import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { HostOut, NewHostKeyOut, WorkspaceOut } from '@/api/schema';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { DialogButton } from '@/components/DialogButton';
import ui from '@/components/ui.module.css';
import { HostStateBadge } from '@/components/HostStateBadge';
import { joinWords } from '@/lib/format';
import { LeaveHost, NewKey, PauseHost, RenameHost, RevokeHost } from './HostActions';
import { ReservationForm } from './ReservationForm';

interface HostTableProps {
  hosts: readonly HostOut[];
  workspaces: readonly WorkspaceOut[];
  /** Receives the key of a host that joins again, which is shown once. */
  onKey: (key: NewHostKeyOut) => void;
}

/** Lists hosts with their states and the workspaces that may use them. */
export function HostTable({ hosts, workspaces, onKey }: HostTableProps) {
  const columns: readonly Column<HostOut>[] = [
    {
      header: 'Name',
      ...ROW_TITLE,
      sortBy: ({ name }) => name,
      cell: ({ name, faults }) => (
        <>
          <Link to="/hosts/$name" params={{ name }} className="wraps">
            {name}
          </Link>
          {faults.length > 0 && (
            <div className={ui.quiet}>
              {faults.length === 1
                ? '1 entry of this host is not valid'
                : `${faults.length} entries of this host are not valid`}
            </div>
          )}
        </>
      ),
    },
    {
      ...named('State'),
      sortBy: ({ state }) => state,
      cell: (host) => <HostStateBadge host={host} />,
    },
    {
      ...named('Services run'),
      cell: ({ runtime }) => (runtime === 'docker' ? 'in Docker' : 'as processes'),
    },
    {
      ...named('Workspaces'),
      wraps: true,
      cell: (host) => <AllowedWorkspaces host={host} workspaces={workspaces} />,
    },
    actionColumn(
      (host) => (
        <span className={ui.inline}>
          {host.status === 'revoked' ? (
            <NewKey host={host} onCreated={onKey} />
          ) : (
            <>
              <PauseHost host={host} />
              <Reserve host={host} workspaces={workspaces} />
            </>
          )}
          {host.has_key && <RenameHost host={host} />}
          {host.has_key && (host.status === 'ready' || host.status === 'paused') && (
            <LeaveHost host={host} />
          )}
          {host.has_key && host.status !== 'revoked' && <RevokeHost host={host} />}
        </span>
      ),
      'line',
    ),
  ];
  return (
    <DataTable
      label="Hosts"
      layout="cards"
      columns={columns}
      rows={hosts}
      rowKey={({ id }) => id}
    />
  );
}

interface HostCellProps {
  host: HostOut;
  workspaces: readonly WorkspaceOut[];
}

function AllowedWorkspaces({ host, workspaces }: HostCellProps) {
  const reservation = api.useQuery(
    'get',
    '/api/v1/hosts/{name}/reservation',
    { params: { path: { name: host.name } } },
    { enabled: host.is_reserved },
  );
  if (!host.is_reserved) return <span className={ui.quiet}>All</span>;
  const slugs = reservation.data?.workspaces ?? [];
  const names = slugs.map((slug) => workspaces.find((one) => one.slug === slug)?.name ?? slug);
  return names.length === 0 ? 'Reserved' : joinWords(names);
}

function Reserve({ host, workspaces }: HostCellProps) {
  const reserve = api.useMutation('put', '/api/v1/hosts/{name}/reservation');
  const title = `Reserve ${host.name}`;
  return (
    <DialogButton label="Reserve…" name={`${title}…`} title={title}>
      {(close) => (
        <ReservationForm
          host={host}
          workspaces={workspaces}
          onSend={(chosen) =>
            reserve
              .mutateAsync({ params: { path: { name: host.name } }, body: { workspaces: chosen } })
              .then(close)
          }
        />
      )}
    </DialogButton>
  );
}
