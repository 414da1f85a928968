import { useQuery } from '@tanstack/react-query';
import { calibrationFor, overheadAt } from '@/api/calibration';
import { hostQueries } from '@/api/hosts';
import { type MetricInfo, metricQueries } from '@/api/metrics';
import { type GroupRanking, type Run, runQueries } from '@/api/runs';
import {
  floorOfGenerator,
  floorOfNetworks,
  type LatencyFloor,
} from '@/features/run-result/figures/floor';
import type { Group } from './groups';

export interface GroupContext {
  /** Null until the server has responded. */
  ranking: GroupRanking | null;
  error: Error | null;
  metrics: readonly MetricInfo[];
  /** The floor of latencies; null without a calibration or a measured network. */
  floor: LatencyFloor | null;
}

/** Return a group's ranking by a metric and the floor of its latencies. */
export function useGroupContext(
  run: Run,
  group: Group,
  { metric = '', baseline = '' }: { metric?: string; baseline?: string },
): GroupContext {
  const rankings = useQuery(runQueries.ranking(run.slug, metric, baseline));
  const metrics = useQuery(metricQueries.list());
  const host = useQuery(hostQueries.quietly(run.host));
  const ranking = rankings.data?.find((row) => row.group === group.key) ?? null;
  const calibration = calibrationFor(host.data, run.environment.host_digest);
  return {
    ranking,
    error: rankings.error,
    metrics: metrics.data ?? [],
    floor:
      run.load_hosts && run.load_hosts.length > 0
        ? floorOfNetworks(run.networks ?? [])
        : floorOfGenerator(overheadAt(calibration, group.parameters.rate_rps)),
  };
}
