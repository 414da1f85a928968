import { expect, it } from 'vitest';
import { levelAxis, numberAxis, valueAxis } from './axes';
import { extentOf } from './scales';

it.each([
  [[9.76, 10.52], 'ms', ['9.50 ms', '9.75 ms', '10.00 ms', '10.25 ms', '10.50 ms', '10.75 ms']],
  [
    [100, 108].map((tick) => tick * 2 ** 20),
    'B',
    ['97.5 MiB', '100.0 MiB', '102.5 MiB', '105.0 MiB', '107.5 MiB', '110.0 MiB', '112.5 MiB'],
  ],
])('gives levels round ticks with exact labels: %o %s', (values, unit, told) => {
  const { ticks, tickFormatter } = levelAxis(values, unit);
  expect(ticks.map((tick) => tickFormatter(tick).replaceAll(/[\u202f\u00a0]/g, ' '))).toEqual(told);
});

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

it('names an axis over more than two decades as logarithmic, with each tick in its unit', () => {
  const extent = extentOf([0.02, 900].map((estimate) => ({ estimate })));
  const { scale, domain, ticks, tickFormatter, label } = valueAxis(extent, 'ms');
  expect([scale, domain]).toEqual(['log', [expect.closeTo(0.02), 1000]]);
  expect(ticks.map((tick) => plain(tickFormatter(tick)))).toEqual([
    '0.1 ms',
    '1 ms',
    '10 ms',
    '100 ms',
    '1 000 ms',
  ]);
  expect(label?.value).toBe('log axis');
});

it('starts other axes at 0', () => {
  const { scale, domain, ticks, tickFormatter } = valueAxis(
    extentOf([{ estimate: 60 }, { estimate: 94 }]),
    'µs',
  );
  expect([scale, domain]).toEqual(['linear', [0, 100]]);
  expect(ticks.map((tick) => plain(tickFormatter(tick)))).toContain('80 µs');
});

it('draws swept values over five decades at equal distances', () => {
  const x = { label: 'Text', unit: 'characters' };
  const wide = numberAxis([10, 100, 1000, 10_000, 100_000], x);
  expect([wide.scale, wide.domain]).toEqual(['log', [10, 100_000]]);
  expect(wide.label.value).toBe('Text, characters (log axis)');
  const narrow = numberAxis([100, 500], x);
  expect([narrow.scale, narrow.label.value]).toEqual(['linear', 'Text, characters']);
});
