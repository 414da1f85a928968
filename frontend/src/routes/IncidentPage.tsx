import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Incident, incidentQueries, useDecideIncident } from '@/api/incidents';
import { metricQueries } from '@/api/metrics';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { ChangeBadge } from '@/features/incidents/ChangeBadge';
import { Decide } from '@/features/incidents/Decide';
import { IncidentView } from '@/features/incidents/IncidentView';
import { formatDateTime, words } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/incidents/$id');

/** The page of one incident. */
export function IncidentPage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(incidentQueries.one(id));
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

function Shown({ incident }: { incident: Incident }) {
  const { series } = route.useSearch();
  const navigate = route.useNavigate();
  const decide = useDecideIncident(incident.id);
  const metrics = useQuery(metricQueries.list());
  const titles = new Map(metrics.data?.map((row) => [row.metric, row.title]));
  useDocumentTitle(incident.headline);
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
            sending={decide}
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
