/** Titles of incidents and of their series; pure. */
import type { IncidentItem, Shift } from '@/api/incidents';

/** `Latency p99 of Node.js on Hello`, or `bench-01: Latency p99 of 6 series`. */
export function titleOf(incident: IncidentItem, metricTitle: string): string {
  const { lead, framework, host, changes_total: total } = incident;
  if (framework === null) return `${host}: ${metricTitle} of ${total} series`;
  return `${metricTitle} of ${framework.name} on ${lead.scenario.name}`;
}

/** `Latency p99 of Node.js on Hello`. */
export function seriesTitleOf({ framework, scenario }: Shift, metricTitle: string): string {
  return `${metricTitle} of ${framework.name} on ${scenario.name}`;
}
