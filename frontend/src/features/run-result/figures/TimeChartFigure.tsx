import { useMemo } from 'react';
import { bandTable } from '@/charts/bands';
import { ChartFigure } from '@/charts/ChartFigure';
import { TimeChart } from '@/charts/lazy';
import { summarizeSeconds } from '@/charts/summaries';
import { EmptyState } from '@/components/States';
import { figureProps, type FigureSource } from './figure-props';
import type { LatencyFloor } from './floor';
import { type DrawnCell, hasValues, LATENCY, type TimeFigure, timeBands } from './time-lines';

const NOT_RECORDED = (
  <EmptyState title="Not recorded">The trials have no values for this chart.</EmptyState>
);

interface TimeFigureProps {
  figure: TimeFigure;
  source: FigureSource;
  cells: readonly DrawnCell[];
  isLoading: boolean;
  withWarmUp: boolean;
  floor: LatencyFloor | null;
}

/** Draws throughput, latency or a resource by second, with a cursor that all such charts share. */
export function TimeChartFigure({
  figure: { key, field, title, unit, caption },
  source,
  cells,
  isLoading,
  withWarmUp,
  floor: ofLatency,
}: TimeFigureProps) {
  const lines = useMemo(() => timeBands(cells, field, withWarmUp), [cells, field, withWarmUp]);
  const floor = field === LATENCY ? ofLatency : null;
  const hasSpread = cells.some(({ cell }) => cell.trials_succeeded > 1);
  return (
    <ChartFigure
      {...figureProps(
        source,
        key,
        cells.map(({ cell }) => cell),
      )}
      title={title}
      caption={
        caption +
        (hasSpread ? ' Line: median of the trials. Band: their range.' : '') +
        (floor?.explanation ?? '')
      }
      table={() => bandTable(lines, 'framework', unit)}
      summary={() => summarizeSeconds(lines, unit)}
    >
      <TimeChart
        lines={lines}
        unit={unit}
        floor={floor ?? undefined}
        group={source.run.id}
        isLoading={isLoading}
        empty={hasValues(lines) ? null : NOT_RECORDED}
      />
    </ChartFigure>
  );
}
