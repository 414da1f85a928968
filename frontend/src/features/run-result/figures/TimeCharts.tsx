import { useQueries } from '@tanstack/react-query';
import type { GeneratorOverhead } from '@/api/hosts';
import type { RunCell } from '@/api/runs';
import { trialQueries } from '@/api/trials';
import { ChartFigure } from '@/charts/ChartFigure';
import { TimeChart } from '@/charts/lazy';
import { ErrorState, LoadingState } from '@/components/States';
import { figureProps, type FigureSource } from './figure-props';
import { describeOverhead } from './overhead';
import {
  DECLARED_FIGURES,
  LATENCY,
  succeededTrials,
  THROUGHPUT,
  timeBands,
  type TimeFigure,
  timeTable,
  type TrialSeconds,
} from './time-lines';

export const TIME_FIGURES: readonly TimeFigure[] = [
  {
    key: 'throughput-over-time',
    quantity: THROUGHPUT,
    caption: 'Successful requests, counted in the second they were sent.',
  },
  {
    key: 'latency-over-time',
    quantity: LATENCY,
    caption: 'p99 of each second. Spikes here cause high tail latency.',
  },
  ...DECLARED_FIGURES,
];

interface TimeChartsProps {
  source: FigureSource;
  cells: readonly RunCell[];
  withWarmUp: boolean;
  overhead: GeneratorOverhead | null;
  /** Key of the only figure to draw; without it, all are drawn. */
  figure?: string | undefined;
}

/** Draws throughput, latency and resources of every trial by second, with a shared cursor. */
export function TimeCharts({ source, cells, withWarmUp, overhead, figure }: TimeChartsProps) {
  const trials = succeededTrials(source.run, cells);
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
  const wanted = TIME_FIGURES.filter(({ key }) => figure === undefined || key === figure);
  const drawn = describeLines(cells, trials.length);
  return wanted.map(({ key, quantity, caption }) => (
    <ChartFigure
      key={key}
      {...figureProps(source, key, cells)}
      title={quantity.title}
      caption={caption + drawn + (quantity === LATENCY ? describeOverhead(overhead) : '')}
      table={() => timeTable(known, quantity, withWarmUp)}
    >
      {ready ? (
        <TimeChart
          lines={timeBands(known, quantity, withWarmUp)}
          unit={quantity.unit}
          overhead={quantity === LATENCY ? overhead?.latency_p99_ms : undefined}
          group={source.run.id}
        />
      ) : (
        <LoadingState lines={6} height={24} />
      )}
    </ChartFigure>
  ));
}

/** Return a sentence that explains the line and the band around it. */
function describeLines(cells: readonly RunCell[], trials: number): string {
  if (trials < 2) return '';
  return cells.length === 1 || trials <= cells.length
    ? ' One line per trial.'
    : ' Line: median of the trials. Band: their range.';
}
