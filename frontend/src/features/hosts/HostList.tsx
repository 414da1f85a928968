import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Host, hostQueries } from '@/api/hosts';
import { Ago } from '@/components/Ago';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { formatCount } from '@/lib/format';
import classes from './HostList.module.css';

/** Lists bench hosts with their current activity. */
export function HostList() {
  const query = useQuery(hostQueries.list());
  return (
    <Loaded query={query} loading={<LoadingState lines={2} />}>
      {(hosts) =>
        hosts.length === 0 ? (
          <EmptyState title="No bench host yet">
            A worker registers its machine when it starts. Start one with `make up`. If that fails,
            `make doctor` shows why.
          </EmptyState>
        ) : (
          <ul className={classes.list}>
            {hosts.map((host) => (
              <HostRow key={host.name} host={host} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function HostRow({ host }: { host: Host }) {
  return (
    <li className={classes.row}>
      <Link to="/hosts/$name" params={{ name: host.name }} className={classes.name}>
        {host.name}
      </Link>
      <span className={classes.state} data-state={host.state}>
        {host.state}
      </span>
      <span className={classes.detail}>
        <HostActivity host={host} />
      </span>
      <span className={classes.runtime}>{host.runtime}</span>
    </li>
  );
}

/** Describes the current activity of a host. */
export function HostActivity({ host }: { host: Host }) {
  if (host.state === 'offline') {
    return (
      <>
        worker last seen <Ago at={host.seen_at} />
      </>
    );
  }
  if (host.current_run_id) {
    return (
      <>
        measuring{' '}
        <Link to="/runs/$run" params={{ run: host.current_run_id }}>
          a run
        </Link>
        {host.queued_trials > 0 && `, ${formatCount(host.queued_trials, 'trial')} queued`}
      </>
    );
  }
  return host.queued_trials > 0 ? `${formatCount(host.queued_trials, 'trial')} queued` : 'ready';
}
