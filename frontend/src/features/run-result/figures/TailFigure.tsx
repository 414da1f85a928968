import { useQueries } from '@tanstack/react-query';
import { api } from '@/api/client';
import type { CellOut } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import { TailChart } from '@/charts/lazy';
import { type Line, toTailPoints } from '@/charts/series';
import { summarizeTails } from '@/charts/summaries';
import { ErrorState } from '@/components/States';
import { dashOf, figureProps, type FigureSource } from './figure-props';
import type { LatencyFloor } from './floor';

interface TailFigureProps {
  source: FigureSource;
  cells: readonly CellOut[];
  floor: LatencyFloor | null;
}

/** Draws latency by percentile from the merged histograms of all trials of each cell. */
export function TailFigure({ source, cells, floor }: TailFigureProps) {
  const measured = cells.filter((cell) => cell.trials_succeeded > 0);
  const { ready, error, latencies } = useQueries({
    queries: measured.map((cell) =>
      api.queryOptions('get', '/api/v1/cells/{cell_id}/latency', {
        params: { path: { cell_id: cell.id } },
      }),
    ),
    combine: (results) => ({
      ready: results.every((result) => result.data !== undefined),
      error: results.find((result) => result.error)?.error ?? null,
      latencies: results.map((result) => result.data),
    }),
  });
  if (error) return <ErrorState error={error} />;
  const lines: Line[] = measured.map((cell, index) => ({
    id: cell.id,
    name: cell.framework.name,
    colour: cell.framework.colour,
    dash: dashOf(measured, cell),
    excluded: cell.excluded,
    points: toTailPoints(latencies[index]?.percentiles ?? []),
  }));
  return (
    <ChartFigure
      {...figureProps(source, 'latency-by-percentile', cells)}
      title="Latency by percentile"
      summary={() =>
        summarizeTails(
          measured.map((cell, index) => ({
            name: cell.framework.name,
            percentiles: latencies[index]?.percentiles ?? [],
          })),
        )
      }
      caption={`A curve rising on the right means a few requests were much slower. All trials combined; tables show the geometric mean of the trials.${floor?.explanation ?? ''}`}
      table={() => ({
        columns: ['framework', 'quantile', 'latency_ms'],
        rows: measured.flatMap((cell, index) =>
          (latencies[index]?.percentiles ?? []).map(
            ({ quantile, latency_ms }) => [cell.framework.name, quantile, latency_ms] as const,
          ),
        ),
      })}
    >
      <TailChart lines={lines} floor={floor ?? undefined} isLoading={!ready} />
    </ChartFigure>
  );
}
