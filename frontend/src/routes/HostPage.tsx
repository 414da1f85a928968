import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Notice } from '@/components/Notice';
import { MetaLine, PageHeader } from '@/components/Page';
import { Loaded } from '@/components/States';
import { HostDetail } from '@/features/hosts/HostDetail';
import { HostActivity } from '@/features/hosts/HostActivity';
import { hostQuery } from '@/features/hosts/query';
import { StoppedParts } from '@/features/hosts/StoppedParts';
import { words } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/hosts/$name');

export function HostPage(): ReactNode {
  const { name } = route.useParams();
  const query = useQuery(hostQuery(name));
  useDocumentTitle(name);
  return (
    <Loaded query={query} missing={<Missing noun="host" asked={name} />}>
      {(host) => (
        <>
          <PageHeader
            title={host.name}
            meta={
              <MetaLine>
                {words(host.state)}
                {host.runtime}
                {host.is_reserved &&
                  (host.is_usable ? 'reserved' : 'reserved for other workspaces')}
                <span>
                  <HostActivity host={host} />
                </span>
              </MetaLine>
            }
            actions={
              <Link to="/runs" search={{ host: host.name }}>
                Runs on this host
              </Link>
            }
          />
          <StoppedParts />
          {host.disk_shortage && (
            <Notice title="This host takes no new trials">{host.disk_shortage}</Notice>
          )}
          <HostDetail host={host} />
        </>
      )}
    </Loaded>
  );
}
