import { queryOptions } from '@tanstack/react-query';
import { client, ProblemError } from './client';
import type { Health, PartHealth } from './schema';

export type Part = PartHealth;

const REFRESH_MS = 10_000;

function health() {
  return queryOptions({
    queryKey: ['health'],
    queryFn: async ({ signal }): Promise<Partial<Health>> => {
      const { data, error } = await client.GET('/api/v1/health', { signal });
      if (error !== undefined && 'code' in error) throw new ProblemError(error);
      return data ?? error;
    },
  });
}

export const healthQueries = {
  /** The parts that `tacho up` supervises. The server responds with 503 while a part is down. */
  parts: () =>
    queryOptions({
      ...health(),
      select: ({ parts }) => parts ?? [],
      refetchInterval: REFRESH_MS,
    }),
  /** How much space the disk of the database lacks; null if it has enough. */
  databaseDisk: () =>
    queryOptions({
      ...health(),
      select: ({ database_disk_shortage }) => database_disk_shortage ?? null,
      refetchInterval: REFRESH_MS,
    }),
  /** The build of the load generator, which runs wait for; null if nothing is being built. */
  loadGenerator: () =>
    queryOptions({
      ...health(),
      select: ({ load_generator }) => load_generator ?? null,
      refetchInterval: REFRESH_MS,
    }),
  /** The state of the scheduled backups; null if none was ever attempted. */
  backup: () =>
    queryOptions({
      ...health(),
      select: ({ backup }) => backup ?? null,
      refetchInterval: REFRESH_MS,
    }),
  /** The version of the statistics that compute results now. */
  statisticsVersion: () =>
    queryOptions({
      ...health(),
      select: ({ statistics_version }) => statistics_version,
      staleTime: Infinity,
    }),
};
