import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { Ago } from '@/components/Ago';
import { MetaLine, PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { CancelGroup } from '@/features/run-group/CancelGroup';
import { GroupTable } from '@/features/run-group/GroupTable';
import { HostAnswers } from '@/features/run-group/HostAnswers';
import { formatCount } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/g/$group');

/** The runs of a group: the same cells on several hosts, side by side. */
export function RunGroupPage(): ReactNode {
  const { group: slug } = route.useParams();
  const query = api.useQuery('get', '/api/v1/run-groups/{group}', {
    params: { path: { group: slug } },
  });
  const metrics = api.useQuery('get', '/api/v1/metrics');
  useDocumentTitle(query.data?.title ?? 'Runs on several hosts');
  return (
    <Loaded query={query} missing={<Missing noun="run group" asked={slug} />}>
      {(group) => (
        <>
          <PageHeader
            title={group.title}
            meta={
              <MetaLine>
                {`The same cells on ${formatCount(group.runs.length, 'host')}`}
                <Ago at={group.created_at} />
              </MetaLine>
            }
            actions={<CancelGroup group={group} />}
          />
          <Section title="Answer per host" hint="Each host has a run of its own.">
            <HostAnswers runs={group.runs} />
          </Section>
          <Section
            title="Results by host"
            hint="Results of different hosts are never pooled. Ratios between hosts compare hardware, not frameworks."
          >
            <GroupTable group={group} metrics={metrics.data?.items ?? []} />
          </Section>
        </>
      )}
    </Loaded>
  );
}
