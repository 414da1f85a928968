import { queryOptions } from '@tanstack/react-query';
import { client } from './client';
import type { Health, PartHealth } from './schema';

export type Part = PartHealth;

const REFRESH_MS = 10_000;

export const healthQueries = {
  /** The parts that `tacho up` supervises. The server responds with 503 while a part is down. */
  parts: () =>
    queryOptions({
      queryKey: ['health'],
      queryFn: async ({ signal }): Promise<Part[]> => {
        const { data, error } = await client.GET('/api/v1/health', { signal });
        const health: Partial<Health> = data ?? error;
        return health.parts ?? [];
      },
      refetchInterval: REFRESH_MS,
    }),
};
