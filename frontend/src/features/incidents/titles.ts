/** Titles of incidents and of their series; pure. */
import type { IncidentItem, ShiftOut } from '@/api/schema';
import { formatCount } from '@/lib/format';

/** `Latency p99 of Node.js on Hello`, or `6 series on bench-01`. */
export function titleOf(incident: IncidentItem, metricTitle: string): string {
  const { lead, framework, host, changes_total: total } = incident;
  if (framework === null) return `${formatCount(total, 'series', 'series')} on ${host}`;
  return seriesTitleOf(lead, metricTitle);
}

/** `Latency p99 of Node.js on Hello`. */
export function seriesTitleOf({ framework, scenario }: ShiftOut, metricTitle: string): string {
  return `${metricTitle} of ${framework.name} on ${scenario.name}`;
}
