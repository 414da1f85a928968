import { useQuery } from '@tanstack/react-query';
import { calibrationFor, overheadAt } from '@/api/calibration';
import { api } from '@/api/client';
import type { GroupRankingOut, MetricOut, RunOut } from '@/api/schema';
import {
  floorOfGenerator,
  floorOfNetworks,
  type LatencyFloor,
} from '@/features/run-result/figures/floor';
import { rankingQuery } from '@/features/run-result/query';
import type { Group } from './groups';
import type { ResultSelection } from './selection';

export interface GroupContext {
  /** Null until the server has responded. */
  ranking: GroupRankingOut | null;
  error: Error | null;
  metrics: readonly MetricOut[];
  /** The floor of latencies; null without a calibration or a measured network. */
  floor: LatencyFloor | null;
}

/** Return a group's ranking by a metric and the floor of its latencies. */
export function useGroupContext(
  run: RunOut,
  group: Group,
  selection: ResultSelection,
): GroupContext {
  const rankings = useQuery(rankingQuery(run.slug, selection));
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const host = api.useQuery(
    'get',
    '/api/v1/hosts/{name}',
    { params: { path: { name: run.host } } },
    { refetchInterval: false },
  );
  const ranking = rankings.data?.groups.find((row) => row.group === group.key) ?? null;
  const calibration = calibrationFor(host.data, run.environment.host_digest);
  return {
    ranking,
    error: rankings.error,
    metrics: metrics.data?.items ?? [],
    floor:
      run.load_hosts && run.load_hosts.length > 0
        ? floorOfNetworks(run.networks ?? [])
        : floorOfGenerator(overheadAt(calibration, group.parameters.rate_rps)),
  };
}
