/** The floor of latencies, below which they depend little on the service; pure. */
import type { GeneratorOverheadOut, LoadHostNetworkOut } from '@/api/schema';
import type { ChartFloor } from '@/charts/floorBand';
import { formatValue } from '@/lib/format';

export interface LatencyFloor extends ChartFloor {
  /** The end of a caption that explains the band. */
  explanation: string;
}

/** Return the p99 of the load generator itself as the floor; null without a calibration. */
export function floorOfGenerator(overhead: GeneratorOverheadOut | null): LatencyFloor | null {
  if (overhead === null) return null;
  const p99 = formatValue(overhead.latency_p99_ms, 'ms');
  const rate = formatValue(overhead.rate_rps, 'req/s');
  return {
    value: overhead.latency_p99_ms,
    label: 'load generator overhead',
    explanation: ` Grey band: p99 of the load generator itself, ${p99} at ${rate}.`,
  };
}

/** Return the median round trip of the fastest network as the floor; null without a network. */
export function floorOfNetworks(networks: readonly LoadHostNetworkOut[]): LatencyFloor | null {
  if (networks.length === 0) return null;
  const value = Math.min(...networks.map((network) => network.p50_ms));
  const trips = networks.map(({ name, p50_ms }) => `${formatValue(p50_ms, 'ms')} from ${name}`);
  return {
    value,
    label: 'network round trip',
    explanation: ` Grey band: median round trip of the network, ${trips.join(', ')}.`,
  };
}
