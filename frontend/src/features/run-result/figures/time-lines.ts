/** Turns the stored chart data of results into lines of the time charts; pure. */
import type { CellOut, RunCellCharts, RunOut } from '@/api/schema';
import charts from '@/api/second-charts.json';
import { type BandLine, bandPoints } from '@/charts/bands';
import { dashOf } from './figure-props';

/** A result with its chart data; without them while they are being loaded. */
export interface DrawnCell {
  cell: CellOut;
  charts: RunCellCharts | undefined;
}

export interface TimeFigure {
  key: string;
  /** Name of its values in the chart data. */
  field: string;
  title: string;
  unit: string;
  caption: string;
}

export const LATENCY = 'latency_p99_ms';

/** The last ones are values that the backend declares with a chart. */
export const TIME_FIGURES: readonly TimeFigure[] = [
  {
    key: 'throughput-over-time',
    field: 'throughput_rps',
    title: 'Throughput over time',
    unit: 'req/s',
    caption: 'Successful requests, counted in the second they were sent.',
  },
  {
    key: 'latency-over-time',
    field: LATENCY,
    title: 'Latency p99 over time',
    unit: 'ms',
    caption: 'p99 of each second. Spikes here cause high tail latency.',
  },
  ...charts,
];

/** Return each result's median trial within the range of its trials. */
export function timeBands(
  cells: readonly DrawnCell[],
  field: string,
  withWarmUp: boolean,
): BandLine[] {
  const drawn = cells.map(({ cell }) => cell);
  return cells.map(({ cell, charts }) => ({
    id: cell.id,
    name: cell.framework.name,
    colour: cell.framework.colour,
    dash: dashOf(drawn, cell),
    excluded: cell.excluded,
    points: bandPoints(charts?.seconds ?? [], charts?.figures[field]).filter(
      ({ x }) => withWarmUp || x >= 0,
    ),
  }));
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
