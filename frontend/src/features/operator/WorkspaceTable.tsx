import { api } from '@/api/client';
import type { WorkspaceOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { ConfirmButton } from '@/components/ConfirmButton';
import { actionColumn, type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { DialogButton } from '@/components/DialogButton';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import { WorkspaceForm } from './WorkspaceForm';

const COLUMNS: readonly Column<WorkspaceOut>[] = [
  {
    header: 'Name',
    ...ROW_TITLE,
    sortBy: ({ name }) => name,
    cell: ({ name, slug }) => (
      <div className="wraps">
        {name}
        <div className={ui.quiet}>{slug}</div>
      </div>
    ),
  },
  {
    ...named('Members'),
    isNumeric: true,
    sortBy: ({ members }) => members,
    cell: ({ members }) => members,
  },
  {
    ...named('Runs'),
    isNumeric: true,
    sortBy: ({ runs }) => runs,
    cell: ({ runs }) => runs,
  },
  {
    ...named('Limits'),
    wraps: true,
    cell: ({ max_queued_trials, max_bench_minutes }) =>
      [
        describeLimit(max_queued_trials, 'trials'),
        describeLimit(max_bench_minutes, 'minutes a day'),
      ]
        .filter((text) => text !== null)
        .join(', ') || <span className={ui.quiet}>Default</span>,
  },
  {
    ...named('Created'),
    card: 'foot',
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
  actionColumn((workspace) => (
    <span className={ui.inline}>
      <Edit workspace={workspace} />
      <Delete workspace={workspace} />
    </span>
  )),
];

function describeLimit(limit: number | null, unit: string): string | null {
  if (limit === null) return null;
  return limit === 0 ? `no limit of ${unit}` : `${limit.toLocaleString('en')} ${unit}`;
}

/** Lists workspaces with their numbers of members and runs. */
export function WorkspaceTable({ workspaces }: { workspaces: readonly WorkspaceOut[] }) {
  return (
    <DataTable
      label="Workspaces"
      layout="cards"
      columns={COLUMNS}
      rows={workspaces}
      rowKey={({ id }) => id}
    />
  );
}

function Edit({ workspace }: { workspace: WorkspaceOut }) {
  const change = api.useMutation('patch', '/api/v1/workspaces/{slug}');
  const title = `Edit ${workspace.name}`;
  return (
    <DialogButton label="Edit…" name={`${title}…`} title={title}>
      {(close) => (
        <WorkspaceForm
          workspace={workspace}
          button="Save"
          onSend={(values) =>
            change
              .mutateAsync({ params: { path: { slug: workspace.slug } }, body: values })
              .then(close)
          }
        />
      )}
    </DialogButton>
  );
}

function Delete({ workspace }: { workspace: WorkspaceOut }) {
  const remove = api.useMutation('delete', '/api/v1/workspaces/{slug}');
  return (
    <ConfirmButton
      label="Delete…"
      name={`Delete ${workspace.name}…`}
      title={`Delete ${workspace.name}?`}
      action="Delete workspace"
      sending={remove}
      request={{ params: { path: { slug: workspace.slug } } }}
    >
      This deletes its memberships, access tokens, schedules and webhooks, and cannot be undone. It
      has {formatCount(workspace.members, 'member')} and {formatCount(workspace.runs, 'run')}. A
      workspace with runs cannot be deleted.
    </ConfirmButton>
  );
}
