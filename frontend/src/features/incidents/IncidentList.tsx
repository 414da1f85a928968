import type { ReactNode } from 'react';
import { api, PAGES } from '@/api/client';
import type { ChangeStatus, IncidentItem } from '@/api/schema';
import { NextPage } from '@/components/NextPage';
import { Loaded, LoadingState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { words } from '@/lib/format';
import { IncidentRow } from './IncidentRow';

export interface IncidentFilter {
  status?: ChangeStatus;
  open?: boolean;
}

interface IncidentListProps {
  filter: IncidentFilter;
  limit: number;
  /** Shown when no incident matches. */
  empty: ReactNode;
}

/** Lists incidents, newest first. */
export function IncidentList({ filter, limit, empty }: IncidentListProps) {
  const query = api.useInfiniteQuery(
    'get',
    '/api/v1/incidents',
    { params: { query: { ...filter, limit } } },
    PAGES,
  );
  return (
    <Loaded query={query} loading={<LoadingState lines={3} height={48} />}>
      {({ pages }) => {
        const incidents = pages.flatMap((page) => page.items);
        if (incidents.length === 0) return empty;
        return (
          <>
            <IncidentRows incidents={incidents} />
            <NextPage query={query} label="Show earlier changes" />
          </>
        );
      }}
    </Loaded>
  );
}

/** Draws incidents that are loaded. */
export function IncidentRows({ incidents }: { incidents: readonly IncidentItem[] }) {
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const titles = new Map(metrics.data?.items.map((row) => [row.metric, row.title]));
  return (
    <ul className={ui.list}>
      {incidents.map((incident) => (
        <IncidentRow
          key={incident.id}
          incident={incident}
          metricTitle={titles.get(incident.lead.metric) ?? words(incident.lead.metric)}
        />
      ))}
    </ul>
  );
}
