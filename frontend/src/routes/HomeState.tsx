import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Home, homeQueries } from '@/api/home';
import { Section } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { IncidentRows } from '@/features/incidents/IncidentList';
import { HostQueues } from '@/features/home/HostQueues';
import { ScheduleStates } from '@/features/home/ScheduleStates';

/** Shows the state of the installation: open changes, schedules and hosts. */
export function HomeState() {
  const query = useQuery(homeQueries.state());
  return (
    <Loaded query={query} loading={<LoadingState lines={5} height={32} />}>
      {(home) => (
        <>
          <OpenIncidents home={home} />
          {home.schedules.length > 0 && (
            <Section title="Schedules" actions={<Link to="/schedules">All schedules</Link>}>
              <ScheduleStates schedules={home.schedules} />
            </Section>
          )}
          <Section title="Hosts">
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
        <Link to="/changes" search={open > 0 ? { status: 'open' } : {}}>
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
