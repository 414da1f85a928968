import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loaded, LoadingState } from '@/components/States';
import { changeQuery } from '@/features/incidents/query';
import { Missing } from './missing-lazy';

const route = getRouteApi('/changes/$id');

/** The link of a single change: it leads to the change's incident, with its series in the chart. */
export function ChangePage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(changeQuery(id));
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={4} height={40} />}
      missing={<Missing noun="change" asked={id} />}
    >
      {(change) => (
        <Navigate
          to="/incidents/$id"
          params={{ id: change.incident_id }}
          search={{ series: change.id }}
          replace
        />
      )}
    </Loaded>
  );
}
