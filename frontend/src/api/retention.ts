/** How long a workspace and the installation keep seconds and logs. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { PeriodsIn, PeriodsOut, RetentionOut } from './schema';

export type Periods = PeriodsOut;
export type Retention = RetentionOut;

const KEY = ['retention'];

export const retentionQueries = {
  workspace: () =>
    queryOptions({
      queryKey: [...KEY, 'workspace'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/retention', { signal })),
    }),
  installation: () =>
    queryOptions({
      queryKey: [...KEY, 'installation'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/retention/installation', { signal })),
    }),
};

export function useChangeWorkspaceRetention() {
  return useChange((body) => unwrap(client.PUT('/api/v1/retention', { body })));
}

export function useChangeInstallationRetention() {
  return useChange((body) => unwrap(client.PUT('/api/v1/retention/installation', { body })));
}

function useChange<Answered>(ask: (body: PeriodsIn) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}
