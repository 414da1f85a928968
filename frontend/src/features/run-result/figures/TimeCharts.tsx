import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '@/api/client';
import type { CellOut } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import { TimeChart } from '@/charts/lazy';
import { summarizeSeconds } from '@/charts/summaries';
import { EmptyState, ErrorState } from '@/components/States';
import { figureProps, type FigureSource } from './figure-props';
import type { LatencyFloor } from './floor';
import {
  DECLARED_FIGURES,
  hasValues,
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
  cells: readonly CellOut[];
  withWarmUp: boolean;
  floor: LatencyFloor | null;
  /** Key of the only figure to draw; without it, all are drawn. */
  figure?: string | undefined;
}

/** Draws throughput, latency and resources of every trial by second, with a shared cursor. */
export function TimeCharts({ source, cells, withWarmUp, floor, figure }: TimeChartsProps) {
  const { run } = source;
  const trials = succeededTrials(run, cells);
  const [isNear, setIsNear] = useState(false);
  const { ready, error, seconds } = useQueries({
    queries: trials.map((trial) => ({
      ...api.queryOptions('get', '/api/v1/trials/{trial_id}/series', {
        params: { path: { trial_id: trial.trialId }, query: { phase: 'all' } },
      }),
      enabled: isNear,
    })),
    combine: (results) => ({
      ready: results.every((result) => result.data !== undefined),
      error: results.find((result) => result.error)?.error ?? null,
      seconds: results.map((result) => result.data?.samples ?? []),
    }),
  });
  const known = useMemo(
    () =>
      succeededTrials(run, cells).map((trial, index): TrialSeconds => ({
        ...trial,
        samples: seconds[index] ?? [],
      })),
    [run, cells, seconds],
  );
  if (error) return <ErrorState error={error} />;
  const wanted = TIME_FIGURES.filter(({ key }) => figure === undefined || key === figure);
  return wanted.map((entry) => (
    <OneTimeChart
      key={entry.key}
      entry={entry}
      source={source}
      cells={cells}
      trials={known}
      isLoading={!ready}
      onNear={() => {
        setIsNear(true);
      }}
      withWarmUp={withWarmUp}
      drawn={describeLines(cells, trials.length)}
      floor={entry.quantity === LATENCY ? floor : null}
    />
  ));
}

const NOT_RECORDED = (
  <EmptyState title="Not recorded">The trials have no values for this chart.</EmptyState>
);

interface OneTimeChartProps {
  entry: TimeFigure;
  source: FigureSource;
  cells: readonly CellOut[];
  /** Without seconds while these are being loaded. */
  trials: readonly TrialSeconds[];
  isLoading: boolean;
  onNear: () => void;
  withWarmUp: boolean;
  /** Explains the lines. */
  drawn: string;
  floor: LatencyFloor | null;
}

function OneTimeChart({
  entry: { key, quantity, caption },
  source,
  cells,
  trials,
  isLoading,
  onNear,
  withWarmUp,
  drawn,
  floor,
}: OneTimeChartProps) {
  const lines = useMemo(
    () => timeBands(trials, quantity, withWarmUp),
    [trials, quantity, withWarmUp],
  );
  const isEmpty = lines.length > 0 && !hasValues(lines);
  return (
    <ChartFigure
      {...figureProps(source, key, cells)}
      title={quantity.title}
      caption={caption + drawn + (floor?.explanation ?? '')}
      table={() => timeTable(trials, quantity, withWarmUp)}
      summary={() => summarizeSeconds(lines, quantity.unit)}
      onNear={onNear}
    >
      <TimeChart
        lines={lines}
        unit={quantity.unit}
        floor={floor ?? undefined}
        group={source.run.id}
        isLoading={isLoading}
        empty={isEmpty ? NOT_RECORDED : null}
      />
    </ChartFigure>
  );
}

/** Return a sentence that explains the line and the band around it. */
function describeLines(cells: readonly CellOut[], trials: number): string {
  if (trials < 2) return '';
  return cells.length === 1 || trials <= cells.length
    ? ' One line per trial.'
    : ' Line: median of the trials. Band: their range.';
}
