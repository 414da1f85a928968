import { Link } from '@tanstack/react-router';
import type { HostOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { formatCount } from '@/lib/format';

/** Describes the current activity of a host. */
export function HostActivity({ host }: { host: HostOut }) {
  if (host.state === 'offline') {
    return (
      <>
        worker last seen <Ago at={host.seen_at} />
      </>
    );
  }
  if (host.state === 'outdated') {
    return 'its worker runs another version of Tacho, and waits until it is updated';
  }
  if (host.state === 'leaving') return 'leaves when its current trial has ended';
  if (host.current_run_id) {
    return (
      <>
        measuring{' '}
        <Link to="/r/$run" params={{ run: host.current_run_id }}>
          a run
        </Link>
        {host.queued_trials > 0 && `, ${formatCount(host.queued_trials, 'trial')} queued`}
      </>
    );
  }
  if (host.state === 'paused') {
    return host.queued_trials === 0
      ? 'takes no new trials'
      : `takes no new trials, ${formatCount(host.queued_trials, 'trial')} waiting`;
  }
  if (host.state === 'low_disk') {
    return host.queued_trials === 0
      ? 'takes no trials until there is free disk space'
      : `takes no trials until there is free disk space, ${formatCount(host.queued_trials, 'trial')} waiting`;
  }
  return host.queued_trials > 0 ? `${formatCount(host.queued_trials, 'trial')} queued` : 'ready';
}
