/** The state of the installation, for operators. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { DiskOut, FaultOut, FindingOut, HostStateOut, InstallationOut } from './schema';

export type Installation = InstallationOut;
export type Finding = FindingOut;
export type HostWork = HostStateOut;
export type Disk = DiskOut;
export type Fault = FaultOut;

const REFRESH_MS = 10_000;

export const installationQueries = {
  state: () =>
    queryOptions({
      queryKey: ['installation'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/installation', { signal })),
      refetchInterval: REFRESH_MS,
    }),
};
