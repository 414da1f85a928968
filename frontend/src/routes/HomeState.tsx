import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { Home } from '@/api/schema';
import { Section } from '@/components/Page';
import { Loaded, LoadingState, type ShownQuery } from '@/components/States';
import { IncidentRows } from '@/features/incidents/IncidentList';
import { HostQueues } from '@/features/home/HostQueues';
import { ScheduleStates } from '@/features/home/ScheduleStates';

interface HomeStateProps {
  /** Whether `children` is still being loaded. */
  isLoading: boolean;
  /** Shown below, at the same time, so that nothing moves. */
  children: ReactNode;
}

/** Shows the state of the installation: open changes, schedules and hosts. */
export function HomeState({ isLoading, children }: HomeStateProps) {
  const query = api.useQuery('get', '/api/v1/home');
  const isWaiting = isLoading || !query.isFetched;
  return (
    <>
      {isWaiting && <LoadingState lines={10} height={32} />}
      {/* Hidden, so that its parts are loaded at the same time. */}
      <div hidden={isWaiting}>
        <State query={query} />
        {children}
      </div>
    </>
  );
}

function State({ query }: { query: ShownQuery<Home> }) {
  return (
    <Loaded query={query}>
      {(home) => (
        <>
          <OpenIncidents home={home} />
          {home.schedules.length > 0 && (
            <Section title="Schedules" actions={<Link to="/schedules">All schedules</Link>}>
              <ScheduleStates schedules={home.schedules} />
            </Section>
          )}
          <Section title="Hosts" actions={<Link to="/hosts">All hosts</Link>}>
            <HostQueues hosts={home.hosts} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

/** Draws nothing in an installation without schedules, in which nothing can have changed. */
function OpenIncidents({ home }: { home: Home }) {
  const { incidents, open_incidents: open, schedules } = home;
  if (open === 0 && schedules.length === 0) return null;
  return (
    <Section
      title={open === 0 ? 'Open changes' : `Open changes (${open})`}
      actions={
        <Link to="/changes" search={{}}>
          {open > incidents.length ? `All ${open} open changes` : 'All changes'}
        </Link>
      }
    >
      {open === 0 ? <None /> : <IncidentRows incidents={incidents} />}
    </Section>
  );
}

function None() {
  return <p style={{ margin: 0 }}>None. Every detected change is decided and acknowledged.</p>;
}
