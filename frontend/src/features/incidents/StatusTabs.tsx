import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentQueries } from '@/api/incidents';
import classes from './StatusTabs.module.css';
import { type IncidentTab, STATUSES } from './statuses';

const TABS: readonly { status: IncidentTab; title: string }[] = [
  { status: 'open', title: 'Open' },
  ...STATUSES,
];

/** Tabs for all incidents, open incidents, and each status, with their counts. */
export function StatusTabs({ status }: { status: IncidentTab | undefined }) {
  const { data: counts } = useQuery(incidentQueries.counts());
  const total = counts && STATUSES.reduce((sum, entry) => sum + counts[entry.status], 0);
  return (
    <nav className={classes.tabs} aria-label="Status">
      <Link to="/changes" search={{}} className={classes.tab} data-current={status === undefined}>
        All <span>{total}</span>
      </Link>
      {TABS.map((entry) => (
        <Link
          key={entry.status}
          to="/changes"
          search={{ status: entry.status }}
          className={classes.tab}
          data-current={status === entry.status}
          aria-current={status === entry.status ? 'page' : undefined}
        >
          {entry.title} <span>{counts?.[entry.status]}</span>
        </Link>
      ))}
    </nav>
  );
}
