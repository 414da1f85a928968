import { describe, expect, it } from 'vitest';
import type { CellOut, SampleOut } from '@/api/schema';
import {
  DECLARED_FIGURES,
  hasValues,
  LATENCY,
  THROUGHPUT,
  timeBands,
  type TrialSeconds,
} from './time-lines';

function cell(name: string): CellOut {
  return { id: name, framework: { slug: name, name, colour: 0 }, excluded: false } as CellOut;
}

/** Return a trial with one second of warm-up, then these requests per second. */
function trial(of: CellOut, repetition: number, requests: number[]): TrialSeconds {
  const sample = (second: number, phase: string, count: number) =>
    ({ second, phase, requests: count, failed: 0 }) as SampleOut;
  return {
    trialId: `${of.id} ${repetition}`,
    repetition,
    cell: of,
    samples: [
      sample(0, 'warm_up', 1),
      ...requests.map((count, second) => sample(second, 'measure', count)),
    ],
  };
}

describe('timeBands', () => {
  const [go, node] = [cell('go'), cell('node')];
  const trials = [trial(go, 1, [10, 30]), trial(go, 2, [20, 10]), trial(node, 1, [5, 5])];

  it('merges the trials of each of several frameworks', () => {
    const [first, second] = timeBands(trials, THROUGHPUT, false);
    expect(first?.name).toBe('go');
    expect(first?.points).toEqual([
      { x: 0, low: 10, middle: 15, high: 20 },
      { x: 1, low: 10, middle: 20, high: 30 },
    ]);
    expect(second?.points.map((point) => point.middle)).toEqual([5, 5]);
  });

  it('puts the warm-up before 0', () => {
    expect(timeBands(trials, THROUGHPUT, true)[0]?.points[0]).toEqual({
      x: -1,
      low: 1,
      middle: 1,
      high: 1,
    });
  });

  it('draws each trial if there is only one framework', () => {
    const alone = timeBands(trials.slice(0, 2), THROUGHPUT, false);
    expect(alone.map((line) => line.name)).toEqual(['trial 1', 'trial 2']);
    expect(alone[1]?.points.map((point) => point.middle)).toEqual([20, 10]);
  });
});

describe('hasValues', () => {
  const trials = [trial(cell('go'), 1, [10, 30])];

  it('is false if the trials did not record the quantity', () => {
    const unrecorded = { ...LATENCY, read: () => null };
    expect(hasValues(timeBands(trials, unrecorded, true))).toBe(false);
    expect(hasValues(timeBands(trials, THROUGHPUT, true))).toBe(true);
  });
});

describe('DECLARED_FIGURES', () => {
  it('draws CPU and memory from the seconds of a trial', () => {
    const sample = { cpu_service_seconds: 0.5, memory_bytes: null } as SampleOut;
    const find = (key: string) => DECLARED_FIGURES.find((figure) => figure.key === key)?.quantity;
    expect(find('cpu-over-time')?.read(sample)).toBe(0.5);
    expect(find('memory-over-time')?.read(sample)).toBeNull();
    expect(find('memory-over-time')?.unit).toBe('B');
  });
});
