import { Link } from '@tanstack/react-router';
import type { HostQueue } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { EmptyState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatCount, formatDuration, words } from '@/lib/format';
import classes from './Home.module.css';

/** Lists bench hosts with their current run, their queue and the expected wait. */
export function HostQueues({ hosts }: { hosts: readonly HostQueue[] }) {
  if (hosts.length === 0) {
    return (
      <EmptyState title="No bench host yet">
        A worker registers its machine when it starts. Start one with <code>make up</code>. If that
        fails, <code>make doctor</code> shows why.
      </EmptyState>
    );
  }
  return (
    <ul className={ui.list}>
      {hosts.map((host) => (
        <li key={host.name} className={classes.host}>
          <Link to="/hosts/$name" params={{ name: host.name }} className={ui.link}>
            {host.name}
          </Link>
          <span className={classes.state} data-state={host.state}>
            {words(host.state)}
          </span>
          <span className={ui.quiet}>
            <Activity host={host} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Activity({ host }: { host: HostQueue }) {
  const {
    state,
    disk_shortage: shortage,
    current_run: current,
    queued_trials: queued,
    wait_seconds: wait,
  } = host;
  const left = queued === 0 ? '' : `${formatCount(queued, 'trial')} left`;
  if (state === 'offline') {
    return (
      <>
        Its worker was last seen <Ago at={host.seen_at} />
        {queued > 0 && `; ${formatCount(queued, 'trial')} waiting`}
      </>
    );
  }
  if (state === 'low_disk') {
    return `${shortage ?? ''}${queued > 0 ? ` ${formatCount(queued, 'trial')} waiting.` : ''}`;
  }
  if (state === 'outdated') {
    return `Its worker waits until Tacho is updated on this host${
      queued > 0 ? `; ${formatCount(queued, 'trial')} waiting` : ''
    }`;
  }
  if (state === 'leaving') return 'Leaves when its current trial has ended';
  if (state === 'paused') {
    return `Takes no new trials${queued > 0 ? `; ${formatCount(queued, 'trial')} waiting` : ''}`;
  }
  const waits =
    queued === 0 || !host.is_usable ? '' : `, a new run starts in about ${formatDuration(wait)}`;
  if (current !== null) {
    return (
      <>
        Measuring{' '}
        <Link to="/r/$run" params={{ run: current.slug }}>
          {current.title}
        </Link>
        : {left}
        {waits}
      </>
    );
  }
  if (queued > 0) return `${left}${waits}`;
  // It measures a guard, or a run that the viewer may not see.
  if (state === 'busy') return 'Measuring something else; a new run starts when it is free';
  return host.is_usable ? 'Ready: a new run starts at once' : 'Reserved for other workspaces';
}
