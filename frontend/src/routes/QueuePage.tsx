import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { Notice } from '@/components/Notice';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { LoadGeneratorBuild } from '@/features/hosts/LoadGeneratorBuild';
import { StoppedParts } from '@/features/hosts/StoppedParts';
import { HostQueue } from '@/features/queue/HostQueue';

/** The queue of each bench host. */
export function QueuePage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/queue');
  return (
    <>
      <PageHeader
        title="Queue"
        meta="Each host measures one run at a time, in this order. Times are estimates without builds."
      />
      <DatabaseDisk />
      <LoadGeneratorBuild />
      <StoppedParts />
      <Loaded query={query}>
        {({ hosts, is_complete: isComplete }) =>
          hosts.length === 0 ? (
            <EmptyState title="No bench host yet">
              A worker registers its machine when it starts.
            </EmptyState>
          ) : (
            <>
              {!isComplete && (
                <Notice title="More runs wait">Only the first 200 runs are shown.</Notice>
              )}
              {hosts.map((queue) => (
                <HostQueue key={queue.host} queue={queue} />
              ))}
            </>
          )
        }
      </Loaded>
    </>
  );
}
