import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changeQueries, type ChangeStatus } from '@/api/changes';
import classes from './StatusTabs.module.css';
import { STATUSES } from './statuses';

/** All changes or those of one status, each with their number, as far as it has come. */
export function StatusTabs({ status }: { status: ChangeStatus | undefined }) {
  const { data: counts } = useQuery(changeQueries.counts());
  const total = counts && STATUSES.reduce((sum, one) => sum + counts[one.status], 0);
  return (
    <nav className={classes.tabs} aria-label="Status">
      <Link to="/changes" search={{}} className={classes.tab} data-current={status === undefined}>
        All <span>{total}</span>
      </Link>
      {STATUSES.map((one) => (
        <Link
          key={one.status}
          to="/changes"
          search={{ status: one.status }}
          className={classes.tab}
          data-current={status === one.status}
          aria-current={status === one.status ? 'page' : undefined}
        >
          {one.title} <span>{counts?.[one.status]}</span>
        </Link>
      ))}
    </nav>
  );
}
