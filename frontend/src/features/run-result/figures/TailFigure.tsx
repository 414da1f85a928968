import { ChartFigure } from '@/charts/ChartFigure';
import { TailChart } from '@/charts/lazy';
import { type Line, toTailPoints } from '@/charts/series';
import { summarizeTails } from '@/charts/summaries';
import { dashOf, figureProps, type FigureSource } from './figure-props';
import type { LatencyFloor } from './floor';
import type { DrawnCell } from './time-lines';

interface TailFigureProps {
  source: FigureSource;
  cells: readonly DrawnCell[];
  isLoading: boolean;
  floor: LatencyFloor | null;
}

/** Draws latency by percentile from the merged histograms of all trials of each cell. */
export function TailFigure({ source, cells: drawn, isLoading, floor }: TailFigureProps) {
  const cells = drawn.map(({ cell }) => cell);
  const tails = drawn.map(({ cell, charts }) => ({
    name: cell.framework.name,
    percentiles: charts?.percentiles ?? [],
  }));
  const lines = drawn.map(({ cell, charts }): Line => ({
    id: cell.id,
    name: cell.framework.name,
    colour: cell.framework.colour,
    dash: dashOf(cells, cell),
    excluded: cell.excluded,
    points: toTailPoints(charts?.percentiles ?? []),
  }));
  return (
    <ChartFigure
      {...figureProps(source, 'latency-by-percentile', cells)}
      title="Latency by percentile"
      summary={() => summarizeTails(tails)}
      caption={`A curve rising on the right means a few requests were much slower. All trials combined; tables show the geometric mean of the trials.${floor?.explanation ?? ''}`}
      table={() => ({
        columns: ['framework', 'quantile', 'latency_ms'],
        rows: tails.flatMap(({ name, percentiles }) =>
          percentiles.map(({ quantile, latency_ms }) => [name, quantile, latency_ms]),
        ),
      })}
    >
      <TailChart lines={lines} floor={floor ?? undefined} isLoading={isLoading} />
    </ChartFigure>
  );
}
