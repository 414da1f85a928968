import { describe, expect, it } from 'vitest';
import type { CellOut } from '@/api/schema';
import { type DrawnCell, hasValues, LATENCY, TIME_FIGURES, timeBands } from './time-lines';

function drawn(name: string, throughput: (number | null)[]): DrawnCell {
  return {
    cell: {
      id: name,
      framework: { slug: name, name, colour: 0 },
      excluded: false,
    } as CellOut,
    charts: {
      cell_id: name,
      percentiles: [],
      seconds: [-1, 0, 1],
      figures: { throughput_rps: { low: throughput, middle: throughput, high: throughput } },
      heat_map: null,
      trial_steps: [],
    },
  };
}

const cells = [drawn('go', [1, 15, null]), drawn('node', [1, 5, 5])];

describe('timeBands', () => {
  it('has one line per framework, with the warm-up before 0', () => {
    const [first, second] = timeBands(cells, 'throughput_rps', true);
    expect(first?.name).toBe('go');
    expect(first?.points).toEqual([
      { x: -1, low: 1, middle: 1, high: 1 },
      { x: 0, low: 15, middle: 15, high: 15 },
      { x: 1, low: null, middle: null, high: null },
    ]);
    expect(second?.points.map((point) => point.middle)).toEqual([1, 5, 5]);
  });

  it('leaves the warm-up out', () =>
    expect(timeBands(cells, 'throughput_rps', false)[1]?.points.map(({ x }) => x)).toEqual([0, 1]));

  it('has lines without points until the charts are loaded', () => {
    const [cell] = cells;
    if (cell === undefined) throw new Error('There is no cell.');
    const [line] = timeBands([{ ...cell, charts: undefined }], LATENCY, true);
    expect([line?.name, line?.points]).toEqual(['go', []]);
  });
});

it('knows whether the trials recorded a quantity', () => {
  expect(hasValues(timeBands(cells, 'page_faults', true))).toBe(false);
  expect(hasValues(timeBands(cells, 'throughput_rps', true))).toBe(true);
});

it('draws the values that the backend declares with a chart', () => {
  const memory = TIME_FIGURES.find(({ key }) => key === 'memory-over-time');
  expect([memory?.field, memory?.unit]).toEqual(['memory_bytes', 'B']);
});
