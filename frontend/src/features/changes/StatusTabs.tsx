import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changeQueries, type ChangeStatus } from '@/api/changes';
import classes from './StatusTabs.module.css';
import { STATUSES } from './statuses';

/** Tabs for all changes and for each status, with their counts. */
export function StatusTabs({ status }: { status: ChangeStatus | undefined }) {
  const { data: counts } = useQuery(changeQueries.counts());
  const total = counts && STATUSES.reduce((sum, entry) => sum + counts[entry.status], 0);
  return (
    <nav className={classes.tabs} aria-label="Status">
      <Link to="/changes" search={{}} className={classes.tab} data-current={status === undefined}>
        All <span>{total}</span>
      </Link>
      {STATUSES.map((entry) => (
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
