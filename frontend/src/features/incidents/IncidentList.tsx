import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type IncidentFilter, type IncidentItem, incidentQueries } from '@/api/incidents';
import { metricQueries } from '@/api/metrics';
import { NextPage } from '@/components/NextPage';
import { Loaded, LoadingState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { words } from '@/lib/format';
import { IncidentRow } from './IncidentRow';

interface IncidentListProps {
  filter: IncidentFilter;
  limit: number;
  /** Shown when no incident matches. */
  empty: ReactNode;
}

/** Lists incidents, newest first. */
export function IncidentList({ filter, limit, empty }: IncidentListProps) {
  const query = useInfiniteQuery(incidentQueries.pages(filter, limit));
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
  const metrics = useQuery(metricQueries.list());
  const titles = new Map(metrics.data?.map((row) => [row.metric, row.title]));
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
