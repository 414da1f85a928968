import { expect, it } from 'vitest';
import { levelAxis } from './axes';

it.each([
  [[9.76, 10.52], 'ms', ['9.50 ms', '9.75 ms', '10.00 ms', '10.25 ms', '10.50 ms', '10.75 ms']],
  [
    [100, 108].map((tick) => tick * 2 ** 20),
    'B',
    ['97.5 MiB', '100.0 MiB', '102.5 MiB', '105.0 MiB', '107.5 MiB', '110.0 MiB', '112.5 MiB'],
  ],
])('gives levels round ticks with exact labels: %o %s', (values, unit, told) => {
  const { ticks, tickFormatter } = levelAxis(values, unit);
  expect(ticks.map((tick) => tickFormatter(tick).replaceAll('\u202f', ' '))).toEqual(told);
});
