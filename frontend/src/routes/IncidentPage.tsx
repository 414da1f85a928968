import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { IncidentOut } from '@/api/schema';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { ChangeBadge } from '@/features/incidents/ChangeBadge';
import { Decide } from '@/features/incidents/Decide';
import { IncidentView } from '@/features/incidents/IncidentView';
import { incidentQuery } from '@/features/incidents/query';
import { formatDateTime, words } from '@/lib/format';
import { Missing } from './missing-lazy';

const route = getRouteApi('/incidents/$id');

/** The page of one incident. */
export function IncidentPage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(incidentQuery(id));
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={8} height={40} />}
      missing={<Missing noun="incident" asked={id} />}
    >
      {(incident) => <Shown incident={incident} />}
    </Loaded>
  );
}

function Shown({ incident }: { incident: IncidentOut }) {
  const { series } = route.useSearch();
  const navigate = route.useNavigate();
  const decide = api.useMutation('patch', '/api/v1/incidents/{incident_id}');
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const titles = new Map(metrics.data?.items.map((row) => [row.metric, row.title]));
  return (
    <>
      <PageHeader
        title={incident.headline}
        meta={
          <MetaLine>
            <ChangeBadge status={incident.status} />
            <Link to="/hosts/$name" params={{ name: incident.host }}>
              {incident.host}
            </Link>
            <time dateTime={incident.at}>{formatDateTime(incident.at)}</time>
            <Link to="/changes" search={{}}>
              All changes
            </Link>
          </MetaLine>
        }
        actions={
          <Decide
            label="Decide about all series"
            draft={`incident.${incident.id}`}
            size="xs"
            onSend={(body) =>
              decide.mutateAsync({ params: { path: { incident_id: incident.id } }, body })
            }
            decided={{
              status: incident.status,
              isOpen: incident.is_open,
              note: incident.note,
              pairs: Math.max(0, ...incident.changes.map((it) => it.confirmation?.pairs ?? 0)),
            }}
          />
        }
      />
      <IncidentView
        incident={incident}
        series={series}
        titleOf={(metric) => titles.get(metric) ?? words(metric)}
        onShow={(id) => {
          void navigate({ search: { series: id }, replace: true, resetScroll: false });
          window.scrollTo({ top: 0 });
        }}
      />
    </>
  );
}
