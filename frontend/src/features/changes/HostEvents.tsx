import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changeQueries } from '@/api/changes';
import { metricQueries } from '@/api/metrics';
import { Ago } from '@/components/Ago';
import { Loaded } from '@/components/States';
import { words } from '@/lib/format';
import { formatRatio } from '@/lib/ratio';
import classes from './HostEvents.module.css';

/** Lists shifts of a whole host, which would otherwise be many changes. */
export function HostEvents() {
  const query = useQuery(changeQueries.hostEvents());
  const metrics = useQuery(metricQueries.list());
  return (
    <Loaded query={query}>
      {(events) =>
        events.length === 0 ? (
          <p className={classes.none}>No host events.</p>
        ) : (
          <ul className={classes.list}>
            {events.map((event) => (
              <li key={event.id} className={classes.row}>
                <strong className={classes.ratio}>{formatRatio(event.ratio)}</strong>
                <span>
                  {metrics.data?.find((row) => row.metric === event.metric)?.title ??
                    words(event.metric)}{' '}
                  on{' '}
                  <Link to="/hosts/$name" params={{ name: event.host }}>
                    {event.host}
                  </Link>
                  : {event.series_shifted} of {event.series_total} series shifted
                </span>
                <span className={classes.quiet}>
                  <Ago at={event.at} />
                  {' · '}
                  <Link to="/runs/$run" params={{ run: event.run_slug }}>
                    first seen in this run
                  </Link>
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
