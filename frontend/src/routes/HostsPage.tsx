import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { HostList } from '@/features/hosts/HostList';
import { StoppedParts } from '@/features/hosts/StoppedParts';

/** All bench hosts. */
export function HostsPage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/hosts');
  return (
    <>
      <PageHeader
        title="Hosts"
        meta="Each bench host measures one run at a time. Results of different hosts are not compared."
        actions={
          <>
            <Link to="/queue">Queue</Link>
            <Link to="/runs">Runs</Link>
          </>
        }
      />
      <DatabaseDisk />
      <StoppedParts />
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No bench host yet">
              A worker registers its machine when it starts. Start one with <code>make up</code>. If
              that fails, <code>make doctor</code> shows why.
            </EmptyState>
          ) : (
            <>
              <VisuallyHidden component="h2">All hosts</VisuallyHidden>
              <HostList hosts={items} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
