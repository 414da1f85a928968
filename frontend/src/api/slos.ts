import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { SloIn, SloOut } from './schema';

export type Slo = SloOut;
export type NewSlo = SloIn;

export const sloQueries = {
  list: () =>
    queryOptions({
      queryKey: ['slos'],
      queryFn: async ({ signal }) => (await unwrap(client.GET('/api/v1/slos', { signal }))).items,
    }),
};

/** A limit also applies to finished runs, so they are refetched. */
function useSloWrite<Asked>(write: (asked: Asked) => Promise<Slo>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['slos'] }),
        queries.invalidateQueries({ queryKey: ['runs', 'one'] }),
      ]),
  });
}

export function useCreateSlo() {
  return useSloWrite((body: NewSlo) => unwrap(client.POST('/api/v1/slos', { body })));
}

export function useDeleteSlo() {
  return useSloWrite((id: string) =>
    unwrap(client.DELETE('/api/v1/slos/{slo_id}', { params: { path: { slo_id: id } } })),
  );
}
