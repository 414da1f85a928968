import { Stack } from '@mantine/core';
import type { AuditEventOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { type Column, ROW_TITLE } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import { words } from '@/lib/format';
import classes from './Audit.module.css';
import { type ChangedValue, findSubjectName, listChangedValues } from './changed-values';

const COLUMNS: readonly Column<AuditEventOut>[] = [
  {
    header: 'Time',
    card: 'foot',
    cell: ({ at }) => (
      <span className="nowrap">
        <Ago at={at} />
      </span>
    ),
  },
  { header: 'Who', ...ROW_TITLE, cell: ({ actor }) => <span className="wraps">{actor}</span> },
  { header: 'Action', card: 'line', cell: ({ action }) => <code>{action}</code> },
  {
    header: 'Subject',
    wraps: true,
    cell: ({ subject_type, subject_id, before, after }) => (
      <div className="wraps">
        {words(subject_type)} <span className={ui.quiet}>{findSubjectName(before, after)}</span>
        <div className={ui.small}>{subject_id}</div>
      </div>
    ),
  },
  {
    header: 'Before → after',
    wraps: true,
    cell: ({ before, after }) => <Changes values={listChangedValues(before, after)} />,
  },
  {
    header: 'Address',
    card: 'end',
    cell: ({ address }) => (address === null ? null : <code>{address}</code>),
  },
];

/** Lists changes: when, who, what, and the values before and after. */
export function AuditTable({ events }: { events: readonly AuditEventOut[] }) {
  return (
    <DataTable
      label="Audit log"
      layout="cards"
      columns={COLUMNS}
      rows={events}
      rowKey={({ id }) => id}
    />
  );
}

function Changes({ values }: { values: readonly ChangedValue[] }) {
  if (values.length === 0) return null;
  return (
    <Stack component="ul" gap={2} className="wraps">
      {values.map(({ name, before, after }) => (
        <li key={name}>
          <span className={ui.quiet}>{words(name)}: </span>
          {before !== null && <del className={classes.before}>{before}</del>}
          {before !== null && after !== null && ' → '}
          {after !== null && (
            <ins className={classes.after} data-replaces={before !== null}>
              {after}
            </ins>
          )}
        </li>
      ))}
    </Stack>
  );
}
