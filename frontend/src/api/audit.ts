/** Filters of the audit log. */
import { type Days, toTimes } from '@/lib/days';

/** Filters, as in the URL of the page. */
export interface AuditFilter extends Days {
  actor?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
}

/** Return the parameters of the API: without empty filters, days as times of this time zone. */
export function toAuditQuery(filter: AuditFilter) {
  const asked: Record<string, string | undefined> = { ...filter, ...toTimes(filter) };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as Partial<Record<keyof AuditFilter, string>>;
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
