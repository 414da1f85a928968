/** Turns the seconds of trials into lines of the time charts; pure. */
import type { CellOut, RunOut, SampleOut } from '@/api/schema';
import charts from '@/api/second-charts.json';
import { type BandLine, bandOver } from '@/charts/bands';
import type { Line } from '@/charts/series';
import type { ChartTable } from '@/lib/table-files';
import { dashOf } from './figure-props';

/** The seconds of one trial, with its cell. */
export interface TrialSeconds {
  trialId: string;
  repetition: number;
  cell: CellOut;
  samples: readonly SampleOut[];
}

export interface Quantity {
  title: string;
  unit: string;
  read: (sample: SampleOut) => number | null;
}

export const THROUGHPUT: Quantity = {
  title: 'Throughput over time',
  unit: 'req/s',
  read: (sample) => sample.requests - sample.failed,
};

export const LATENCY: Quantity = {
  title: 'Latency p99 over time',
  unit: 'ms',
  read: (sample) => sample.latency_p99_ms,
};

export interface TimeFigure {
  key: string;
  quantity: Quantity;
  caption: string;
}

/** The figures of the values that the backend declares with a chart. */
export const DECLARED_FIGURES: readonly TimeFigure[] = charts.map(
  ({ key, field, title, unit, caption }) => ({
    key,
    quantity: { title, unit, read: (sample) => readNumber(sample, field) },
    caption,
  }),
);

function readNumber(sample: SampleOut, field: string): number | null {
  const value: unknown = sample[field as keyof SampleOut];
  return typeof value === 'number' ? value : null;
}

/** Return the seconds since measuring began; negative during warm-up. */
function secondOf(sample: SampleOut, warmUp: number): number {
  return sample.phase === 'warm_up' ? sample.second - warmUp : sample.second;
}

/** Return one line per trial; trials of a framework share its name and colour. */
export function timeLines(
  trials: readonly TrialSeconds[],
  quantity: Quantity,
  withWarmUp: boolean,
): Line[] {
  return trials.map(({ trialId, cell, samples }) => {
    const warmUp = samples.filter((sample) => sample.phase === 'warm_up').length;
    return {
      id: trialId,
      name: cell.framework.name,
      colour: cell.framework.colour,
      excluded: cell.excluded,
      points: samples
        .filter((sample) => withWarmUp || sample.phase === 'measure')
        .map((sample) => ({ x: secondOf(sample, warmUp), y: quantity.read(sample) })),
    };
  });
}

/**
 * Return each framework's median trial within the range of its trials; for a single framework, each of its trials.
 */
export function timeBands(
  trials: readonly TrialSeconds[],
  quantity: Quantity,
  withWarmUp: boolean,
): BandLine[] {
  const lines = timeLines(trials, quantity, withWarmUp);
  const cells = [...new Set(trials.map((trial) => trial.cell))];
  if (cells.length === 1) {
    return lines.map((line, index) => ({
      ...line,
      name: lines.length === 1 ? line.name : `trial ${trials[index]?.repetition ?? index + 1}`,
      excluded: line.excluded ?? false,
      points: line.points.map(({ x, y }) => ({ x, low: y, middle: y, high: y })),
    }));
  }
  return cells.map((cell) => ({
    id: cell.id,
    name: cell.framework.name,
    colour: cell.framework.colour,
    dash: dashOf(cells, cell),
    excluded: cell.excluded,
    points: bandOver(
      lines.flatMap((line, index) => (trials[index]?.cell === cell ? [line.points] : [])),
    ),
  }));
}

export function timeTable(
  trials: readonly TrialSeconds[],
  quantity: Quantity,
  withWarmUp: boolean,
): ChartTable {
  const lines = timeLines(trials, quantity, withWarmUp);
  return {
    columns: ['framework', 'trial', 'second', quantity.unit],
    rows: trials.flatMap((trial, index) =>
      (lines[index]?.points ?? []).map(
        ({ x, y }) => [trial.cell.framework.name, trial.repetition, x, y] as const,
      ),
    ),
  };
}

/** Return whether any second has a value. Not every trial records every quantity. */
export function hasValues(lines: readonly BandLine[]): boolean {
  return lines.some(({ points }) => points.some(({ middle }) => middle !== null));
}

/** Return the succeeded trials of these cells, ordered by cell and repetition. */
export function succeededTrials(run: RunOut, cells: readonly CellOut[]) {
  return cells.flatMap((cell) =>
    run.trials
      .filter((trial) => trial.cell_id === cell.id && trial.status === 'succeeded')
      .sort((a, b) => a.repetition - b.repetition)
      .map((trial) => ({ trialId: trial.id, repetition: trial.repetition, cell })),
  );
}
