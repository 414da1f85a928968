/** Filters of the audit log. */

/** Filters, as in the URL of the page. */
export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** The first and the last day, such as 2026-11-23. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Return the parameters of the API: without empty filters, days as times of this time zone. */
export function toAuditQuery({ since, until, ...rest }: AuditFilter) {
  const asked = {
    ...rest,
    since: since && startOfDay(since, 0),
    // Until the end of the day.
    until: until && startOfDay(until, 1),
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as Partial<Record<keyof AuditFilter, string>>;
}

function startOfDay(day: string, later: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

/** Return the address of the filtered log as a file. */
export function auditExportUrl(
  filter: AuditFilter,
  installation: boolean,
  format: 'csv' | 'json',
): string {
  const entries = Object.entries(toAuditQuery(filter));
  const query = new URLSearchParams(entries);
  const name = installation ? 'installation-audit' : 'audit';
  return `/api/v1/${name}.${format}${query.size > 0 ? `?${query.toString()}` : ''}`;
}
