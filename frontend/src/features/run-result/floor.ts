import type { Floor } from '@/api/hosts';
import { formatValue } from '@/lib/format';

/** What the grey band of a latency chart is, as the end of its caption; empty without one. */
export function describeFloor(floor: Floor | null): string {
  if (floor === null) return '';
  const p99 = formatValue(floor.latency_p99_ms, 'ms');
  const rate = formatValue(floor.rate_rps, 'req/s');
  return ` Grey: the load generator’s own p99, ${p99}, calibrated at ${rate}.`;
}
