/** Converts the timings of the form to cron expressions and back; pure. */

export type Rhythm = 'nightly' | 'weekly' | 'custom';

export interface TimingDraft {
  rhythm: Rhythm;
  /** `HH:MM`. */
  time: string;
  /** 0 is Sunday, as in cron. */
  weekday: number;
  cron: string;
  timeZone: string;
}

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export function newDraft(timeZone: string): TimingDraft {
  return { rhythm: 'nightly', time: '02:00', weekday: 0, cron: '0 2 * * *', timeZone };
}

/** Return the draft as cron; empty while the time is empty. */
export function toCron({ rhythm, time, weekday, cron }: TimingDraft): string {
  if (rhythm === 'custom') return cron.trim();
  const [hour, minute] = time.split(':').map(Number);
  if (hour === undefined || minute === undefined || Number.isNaN(hour + minute)) return '';
  return `${String(minute)} ${String(hour)} * * ${rhythm === 'weekly' ? String(weekday) : '*'}`;
}

/** Return a stored expression in its simplest form. */
export function fromCron(cron: string, timeZone: string): TimingDraft {
  const simple = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6])$/.exec(cron);
  const draft = { ...newDraft(timeZone), cron };
  if (!simple) return { ...draft, rhythm: 'custom' };
  const [, minute = '', hour = '', day = ''] = simple;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return day === '*'
    ? { ...draft, time }
    : { ...draft, rhythm: 'weekly', time, weekday: Number(day) };
}
