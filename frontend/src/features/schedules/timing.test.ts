import { describe, expect, it } from 'vitest';
import { fromCron, newDraft, toCron } from './timing';

describe('timing', () => {
  it('writes nightly and weekly times as cron', () => {
    const draft = { ...newDraft('UTC'), time: '23:05' };
    expect(toCron(draft)).toBe('5 23 * * *');
    expect(toCron({ ...draft, rhythm: 'weekly', weekday: 3 })).toBe('5 23 * * 3');
    expect(toCron({ ...draft, rhythm: 'custom', cron: ' 0 2 1 * * ' })).toBe('0 2 1 * *');
    expect(toCron({ ...draft, time: '' })).toBe('');
  });

  it.each(['5 23 * * *', '0 0 * * 6', '*/30 * * * *', '0 2 * * SUN', '0 2 1 * *'])(
    'reads %s back unchanged',
    (cron) => expect(toCron(fromCron(cron, 'UTC'))).toBe(cron),
  );

  it('shows a simple expression in its simplest form', () =>
    expect(fromCron('5 9 * * 1', 'UTC')).toMatchObject({
      rhythm: 'weekly',
      time: '09:05',
      weekday: 1,
    }));
});
