import { useQuery } from '@tanstack/react-query';
import { calibrationFor, floorAt, noiseOf } from '@/api/calibration';
import { type Floor, hostQueries, type Noise } from '@/api/hosts';
import { type MetricInfo, metricQueries } from '@/api/metrics';
import { type GroupRanking, type Run, runQueries } from '@/api/runs';
import type { Group } from './groups';

export interface GroupContext {
  /** Null until the server has told. */
  ranking: GroupRanking | null;
  error: Error | null;
  metrics: readonly MetricInfo[];
  /** What the load generator adds by itself at this rate, where the host is calibrated. */
  floor: Floor | null;
  /** The host's own noise in the ranking's metric, where it is calibrated. */
  noise: Noise | null;
}

/** What a group's numbers are read by: its ranking by a metric, and what the host itself adds. */
export function useGroupContext(
  run: Run,
  group: Group,
  { metric = '', baseline = '' }: { metric?: string; baseline?: string },
): GroupContext {
  const rankings = useQuery(runQueries.ranking(run.slug, metric, baseline));
  const metrics = useQuery(metricQueries.list());
  const host = useQuery(hostQueries.quietly(run.host));
  const ranking = rankings.data?.find((one) => one.group === group.key) ?? null;
  const calibration = calibrationFor(host.data, run.environment.host_digest);
  const load = { scenario: group.scenario.slug, profile: group.profile };
  return {
    ranking,
    error: rankings.error,
    metrics: metrics.data ?? [],
    floor: floorAt(calibration, group.parameters.rate_rps),
    noise: ranking && noiseOf(calibration, ranking.metric, load),
  };
}
