import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  CalibrationOut,
  DisagreementOut,
  GeneratorOverheadOut,
  HostChange,
  HostKeyOut,
  HostOut,
  NewHostKeyOut,
  NoiseOut,
  Reservation as ReservationOut,
  TruthOut,
} from './schema';

export type Host = HostOut;
/** Slugs of the workspaces that may use a host; null for all. */
export type Reservation = ReservationOut['workspaces'];
/** A key that waits for its machine. */
export type HostKey = HostKeyOut;
export type NewHostKey = NewHostKeyOut;
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
  keys: () =>
    queryOptions({
      queryKey: ['hosts', 'keys'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/host-keys', { signal })),
      select: (page): HostKey[] => page.items,
      refetchInterval: REFRESH_MS,
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

/** Pauses, resumes or renames a host, or lets it leave. */
export function useChangeHost(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: HostChange) =>
      unwrap(client.PATCH('/api/v1/hosts/{name}', { params: { path: { name } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['hosts'] }),
  });
}

/** Takes the credentials of a host away. */
export function useRevokeHost(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST('/api/v1/hosts/{name}/revoke', { params: { path: { name } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['hosts'] }),
  });
}

/** Creates a key with which a machine joins under a name. */
export function useCreateHostKey() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(client.POST('/api/v1/host-keys', { body: { name } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['hosts'] }),
  });
}

export function useWithdrawHostKey(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.DELETE('/api/v1/host-keys/{name}', { params: { path: { name } } })),
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
