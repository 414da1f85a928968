import type { Floor } from '@/api/hosts';
import { formatValue } from '@/lib/format';

/** Return the end of a caption that explains the grey band; empty without a band. */
export function describeFloor(floor: Floor | null): string {
  if (floor === null) return '';
  const p99 = formatValue(floor.latency_p99_ms, 'ms');
  const rate = formatValue(floor.rate_rps, 'req/s');
  return ` Grey band: p99 of the load generator itself, ${p99} at ${rate}.`;
}
