import { useQueries } from '@tanstack/react-query';
import type { Floor } from '@/api/hosts';
import type { Run, RunCell } from '@/api/runs';
import { trialQueries } from '@/api/trials';
import { ChartFigure } from '@/charts/ChartFigure';
import { TimeChart } from '@/charts/lazy';
import { ErrorState, LoadingState } from '@/components/States';
import { describeFloor } from './floor';
import {
  CPU,
  LATENCY,
  MEMORY,
  type Quantity,
  succeededTrials,
  THROUGHPUT,
  timeLines,
  timeTable,
  type TrialSeconds,
} from './time-lines';

const FIGURES: readonly { quantity: Quantity; caption: string }[] = [
  {
    quantity: THROUGHPUT,
    caption: 'Successful requests by the second in which they were sent, a line a trial.',
  },
  {
    quantity: LATENCY,
    caption: 'The slowest hundredth of each second. Spikes here are what the tail is made of.',
  },
  {
    quantity: CPU,
    caption: 'Cores the service kept busy. At the same rate, lower is cheaper.',
  },
  {
    quantity: MEMORY,
    caption: 'Memory of the service, all kinds together. A steady climb would be a leak.',
  },
];

interface TimeChartsProps {
  run: Run;
  cells: readonly RunCell[];
  withWarmUp: boolean;
  floor: Floor | null;
}

/** Throughput, latency, CPU and memory of every trial, second by second, under one cursor. */
export function TimeCharts({ run, cells, withWarmUp, floor }: TimeChartsProps) {
  const trials = succeededTrials(run, cells);
  const { ready, error, seconds } = useQueries({
    queries: trials.map((trial) => trialQueries.series(trial.trialId)),
    combine: (results) => ({
      ready: results.every((result) => result.data !== undefined),
      error: results.find((result) => result.error)?.error ?? null,
      seconds: results.map((result) => result.data ?? []),
    }),
  });
  if (error) return <ErrorState error={error} />;
  const known: TrialSeconds[] = trials.map((trial, index) => ({
    ...trial,
    samples: seconds[index] ?? [],
  }));
  return FIGURES.map(({ quantity, caption }) => (
    <ChartFigure
      key={quantity.title}
      title={quantity.title}
      caption={quantity === LATENCY ? caption + describeFloor(floor) : caption}
      filename={`tacho-${run.slug}-${quantity.title.toLowerCase().replaceAll(' ', '-')}`}
      table={() => timeTable(known, quantity, withWarmUp)}
    >
      {ready ? (
        <TimeChart
          lines={timeLines(known, quantity, withWarmUp)}
          unit={quantity.unit}
          floor={quantity === LATENCY ? floor?.latency_p99_ms : undefined}
          group={run.id}
        />
      ) : (
        <LoadingState lines={6} height={24} />
      )}
    </ChartFigure>
  ));
}
