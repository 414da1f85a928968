/** Describes the latencies of a cell, and the moment from which they count; pure. */
import type { Latency } from '@/api/schema';
import { formatValue } from '@/lib/format';

const SHOWN: readonly (readonly [string, number])[] = [
  ['p50', 0.5],
  ['p99', 0.99],
];

/** Return `from the due time p50 2 ms, p99 9 ms; from the send p50 1 ms, p99 3 ms`. */
export function describeLatency(latency: Latency): string {
  const described = `from the ${latency.counted_from} ${describeCurve(latency.percentiles)}`;
  if (latency.service_percentiles.length === 0) return described;
  return `${described}; from the send ${describeCurve(latency.service_percentiles)}`;
}

function describeCurve(curve: Latency['percentiles']): string {
  return SHOWN.flatMap(([name, quantile]) => {
    const point = curve.find((item) => item.quantile === quantile);
    return point ? `${name} ${formatValue(point.latency_ms, 'ms')}` : [];
  }).join(', ');
}
