import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  CalibrationOut,
  DisagreementOut,
  GeneratorOverheadOut,
  HostChange,
  HostOut,
  NoiseOut,
  Reservation as ReservationOut,
  TruthOut,
} from './schema';

export type Host = HostOut;
/** Slugs of the workspaces that may use a host; null for all. */
export type Reservation = ReservationOut['workspaces'];
export type Calibration = CalibrationOut;
export type GeneratorOverhead = GeneratorOverheadOut;
export type Noise = NoiseOut;
export type Truth = TruthOut;
export type Disagreement = DisagreementOut;

/** Hosts report their current activity, so they are refetched every few seconds. */
const REFRESH_MS = 4000;

export const hostQueries = {
  list: () =>
    queryOptions({
      queryKey: ['hosts'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/hosts', { signal })),
      select: (page): Host[] => page.items,
      refetchInterval: REFRESH_MS,
    }),
  one: (name: string) =>
    queryOptions({
      queryKey: ['hosts', name],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/hosts/{name}', { params: { path: { name } }, signal })),
      refetchInterval: REFRESH_MS,
    }),
  /** The same without refetching, for pages that only need the calibration. */
  quietly: (name: string) =>
    queryOptions({
      queryKey: ['hosts', name],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/hosts/{name}', { params: { path: { name } }, signal })),
      staleTime: 60_000,
    }),
  /** For operators. */
  reservation: (name: string) =>
    queryOptions({
      queryKey: ['hosts', name, 'reservation'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/hosts/{name}/reservation', { params: { path: { name } }, signal }),
        ),
      select: ({ workspaces }): Reservation => workspaces,
    }),
};

/** Pauses, resumes or renames a host. */
export function useChangeHost(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: HostChange) =>
      unwrap(client.PATCH('/api/v1/hosts/{name}', { params: { path: { name } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['hosts'] }),
  });
}

export function useReserveHost(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (workspaces: Reservation) =>
      unwrap(
        client.PUT('/api/v1/hosts/{name}/reservation', {
          params: { path: { name } },
          body: { workspaces },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['hosts'] }),
  });
}
