import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ExampleOut } from './schema';

export type Example = ExampleOut;

export const exampleQueries = {
  list: () =>
    queryOptions({
      queryKey: ['examples'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/examples', { signal })),
      select: (page): Example[] => page.items,
    }),
};

/** Loads or removes the example data, then refetches everything. */
export function useExamples() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (load: boolean) => {
      await (load
        ? unwrap(client.PUT('/api/v1/examples'))
        : unwrap(client.DELETE('/api/v1/examples')));
    },
    onSuccess: () => queries.invalidateQueries(),
  });
}
