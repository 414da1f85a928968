import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import classes from './StatusTabs.module.css';
import { type IncidentTab, STATUSES } from './statuses';

const TABS: readonly { status: IncidentTab; title: string }[] = [
  { status: 'open', title: 'Open' },
  ...STATUSES,
  { status: 'all', title: 'All' },
];

/** Tabs for open incidents, each status, and all incidents, with their counts. */
export function StatusTabs({ status }: { status: IncidentTab }) {
  const { data } = api.useQuery('get', '/api/v1/incident-counts');
  const counts = data && {
    ...data,
    all: STATUSES.reduce((sum, entry) => sum + data[entry.status], 0),
  };
  return (
    <Group component="nav" gap="4px 8px" align="normal" mb="xs" aria-label="Status">
      {TABS.map((entry) => (
        <Link
          key={entry.status}
          to="/changes"
          search={entry.status === 'open' ? {} : { status: entry.status }}
          className={classes.tab}
          data-current={status === entry.status}
          aria-current={status === entry.status ? 'page' : undefined}
        >
          {entry.title} <span>{counts?.[entry.status]}</span>
        </Link>
      ))}
    </Group>
  );
}
