import type { GeneratorOverhead } from '@/api/hosts';
import { formatValue } from '@/lib/format';

/** Return the end of a caption that explains the grey band; empty without a band. */
export function describeOverhead(overhead: GeneratorOverhead | null): string {
  if (overhead === null) return '';
  const p99 = formatValue(overhead.latency_p99_ms, 'ms');
  const rate = formatValue(overhead.rate_rps, 'req/s');
  return ` Grey band: p99 of the load generator itself, ${p99} at ${rate}.`;
}
