import { type Outcome, OutcomeBadge } from '@/components/OutcomeBadge';
import ui from '@/components/ui.module.css';

/** A host, as far as the badge shows it. */
interface ShownHost {
  status: 'ready' | Extract<Outcome, 'paused' | 'leaving' | 'revoked'>;
  state:
    'idle' | Extract<Outcome, 'busy' | 'paused' | 'leaving' | 'low_disk' | 'offline' | 'outdated'>;
  disk_shortage?: string | null | undefined;
}

/** Shows the decision of operators about a host, or its state with the reason. */
export function HostStateBadge({ host }: { host: ShownHost }) {
  if (host.status !== 'ready') {
    return (
      <>
        <OutcomeBadge outcome={host.status} />
        {(host.state === 'busy' || host.state === 'leaving') && (
          <div className={ui.quiet}>finishes its current trial</div>
        )}
      </>
    );
  }
  if (host.state === 'low_disk') {
    return (
      <>
        <OutcomeBadge outcome="low_disk" />
        <div className={ui.quiet}>{host.disk_shortage}</div>
      </>
    );
  }
  if (host.state === 'outdated') {
    return (
      <>
        <OutcomeBadge outcome="outdated" />
        <div className={ui.quiet}>update Tacho on this host</div>
      </>
    );
  }
  const { state } = host;
  return <OutcomeBadge outcome={state === 'offline' || state === 'busy' ? state : 'ready'} />;
}
