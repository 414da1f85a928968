import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, LEAVES } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { toRunIn } from '@/features/new-run/cells';
import { countCells, planSeconds } from '@/features/new-run/loads';
import { ScheduleForm } from '@/features/schedules/ScheduleForm';
import { newDraft } from '@/features/schedules/timing';
import { formatCount, formatDuration, joinWords } from '@/lib/format';
import { decodePlan, describeAmount, EACH_HOST, encodePlan, type Plan } from '@/lib/run-plan';

const route = getRouteApi('/schedules/new');

/** Creates a schedule from a plan in the URL. */
export function NewSchedule(): ReactNode {
  const plan = decodePlan(route.useSearch());
  const navigate = useNavigate();
  const create = api.useMutation('post', '/api/v1/schedules', LEAVES);
  const { denial } = useAccess('manage');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <PageHeader title="New schedule" meta={<Chosen plan={plan} />} />
      {denial !== null ? (
        <DenialState denial={denial} action="create schedules" />
      ) : plan.cells.length === 0 ? (
        <EmptyState title="Nothing selected">
          <Link to="/runs/new">Select what to measure on New run</Link>, then press “Schedule…”.
        </EmptyState>
      ) : (
        <Section title="When">
          <ScheduleForm
            draft="new-schedule"
            name={plan.title}
            timing={newDraft(zone)}
            button="Create schedule"
            onSend={async (timing) => {
              const { id } = await create.mutateAsync({ body: { ...timing, run: toRunIn(plan) } });
              await navigate({ to: '/schedules/$id', params: { id } });
            }}
          />
        </Section>
      )}
    </>
  );
}

/** Return the hosts of a plan, and those that send its load. */
function describeHosts({ host, hosts, loadHosts }: Plan): string {
  const named = hosts.includes(EACH_HOST)
    ? 'each suitable host'
    : joinWords(hosts) || host || 'the host that has the shortest queue now';
  return loadHosts.length > 0 ? `${named}, with load from ${joinWords(loadHosts)}` : named;
}

function Chosen({ plan }: { plan: Plan }) {
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  return (
    <Loaded query={scenarios} loading="…">
      {({ items: known }) => (
        <>
          {formatCount(countCells(plan, known), 'result')} {describeAmount(plan)}{' '}
          {formatDuration(planSeconds(plan, known))} each time, on {describeHosts(plan)} ·{' '}
          <Link to="/runs/new" search={encodePlan(plan)}>
            change
          </Link>
        </>
      )}
    </Loaded>
  );
}
