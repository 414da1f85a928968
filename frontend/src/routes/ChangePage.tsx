import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Change, changeQueries } from '@/api/changes';
import { metricQueries } from '@/api/metrics';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { ChangeDetail } from '@/features/changes/ChangeDetail';
import { formatDateTime, words } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/changes/$id');

/** The page of one change. */
export function ChangePage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(changeQueries.one(id));
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={4} height={40} />}
      missing={<Missing noun="change" asked={id} />}
    >
      {(change) => <Shown change={change} />}
    </Loaded>
  );
}

function Shown({ change }: { change: Change }) {
  const metrics = useQuery(metricQueries.list());
  const { framework, scenario, metric } = change;
  const metricTitle = metrics.data?.find((row) => row.metric === metric)?.title ?? words(metric);
  const title = `${metricTitle} of ${framework.name} on ${scenario.name}`;
  useDocumentTitle(title);
  return (
    <>
      <PageHeader
        title={title}
        meta={
          <MetaLine>
            <Link to="/changes" search={{}}>
              All changes
            </Link>
            <Link
              to="/history"
              search={{ framework: framework.slug, scenario: scenario.slug, metric }}
            >
              View history
            </Link>
            <time dateTime={change.at}>{formatDateTime(change.at)}</time>
          </MetaLine>
        }
      />
      <ChangeDetail change={change} metricTitle={metricTitle} />
    </>
  );
}
