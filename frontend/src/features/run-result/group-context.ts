import { useQuery } from '@tanstack/react-query';
import { calibrationFor, floorAt, noiseOf } from '@/api/calibration';
import type { Floor, Noise } from '@/api/hosts';
import { hostQueries } from '@/api/hosts';
import { type MetricInfo, metricQueries } from '@/api/metrics';
import type { Run } from '@/api/runs';
import { words } from '@/lib/format';
import type { Group } from './groups';
import { headlineMetric } from './sentence';

export interface GroupContext {
  metric: string;
  metricTitle: string;
  metrics: readonly MetricInfo[];
  /** What the load generator adds by itself at this rate, where the host is calibrated. */
  floor: Floor | null;
  /** The host's own noise in this metric, where it is calibrated. */
  noise: Noise | null;
}

/** What a group's numbers are read by: the metric, and what the host itself adds. */
export function useGroupContext(run: Run, group: Group, chosen: string | undefined): GroupContext {
  const metrics = useQuery(metricQueries.list()).data ?? [];
  const host = useQuery(hostQueries.quietly(run.host));
  const metric = chosen ?? headlineMetric(group.kind, group.cells);
  const calibration = calibrationFor(host.data, run.environment.host_digest);
  return {
    metric,
    metricTitle: metrics.find((one) => one.metric === metric)?.title ?? words(metric),
    metrics,
    floor: floorAt(calibration, group.parameters.rate_rps),
    noise: noiseOf(calibration, metric, { scenario: group.scenario.slug, profile: group.profile }),
  };
}
