/** Days in the URL, such as 2026-11-23, as times of this time zone. */

/** The first and the last day of a period. */
export interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** Return the times at which a period begins and ends, for the API. */
export function toTimes({ since, until }: Days): Days {
  // Until the end of the day.
  return { since: since && startOfDay(since, 0), until: until && startOfDay(until, 1) };
}

function startOfDay(day: string, later: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
