import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, LEAVES } from '@/api/client';
import type { GuardOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { ConfirmButton } from '@/components/ConfirmButton';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { GuardBadge } from '@/features/guards/GuardBadge';
import { GuardView } from '@/features/guards/GuardView';
import { guardQuery } from '@/features/guards/query';
import { formatDateTime } from '@/lib/format';
import { Missing } from './missing-lazy';

const route = getRouteApi('/guards/$slug');

/** The page of one guard. */
export function GuardPage(): ReactNode {
  const { slug } = route.useParams();
  const query = useQuery(guardQuery(slug));
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={8} height={40} />}
      missing={<Missing noun="guard" asked={slug} />}
    >
      {(guard) => <Shown guard={guard} />}
    </Loaded>
  );
}

function Shown({ guard }: { guard: GuardOut }) {
  const { headline, verdict, service, created_at: at, requested_by: person } = guard;
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const mayDelete = useMay('manage');
  return (
    <>
      <PageHeader
        title={headline}
        meta={
          <MetaLine>
            <GuardBadge verdict={verdict} />
            <Link to="/guards" search={{ service }}>
              {service}
            </Link>
            <time dateTime={at}>{formatDateTime(at)}</time>
            {person}
          </MetaLine>
        }
      />
      <GuardView guard={guard} metrics={metrics} />
      {mayDelete && (
        <Box mt="lg">
          <DeleteGuard guard={guard} />
        </Box>
      )}
    </>
  );
}

function DeleteGuard({ guard: { slug, service } }: { guard: GuardOut }) {
  const remove = api.useMutation('delete', '/api/v1/guards/{slug}', LEAVES);
  const navigate = useNavigate();
  return (
    <ConfirmButton
      size="xs"
      label="Delete…"
      title="Delete this guard?"
      action="Delete guard"
      sending={remove}
      request={{ params: { path: { slug } } }}
      onSuccess={() => void navigate({ to: '/guards', search: {} })}
    >
      Its link stops working. The other guards of {service} are kept.
    </ConfirmButton>
  );
}
