import { ChartFigure, type ChartTable } from '@/charts/ChartFigure';
import type { Heat } from '@/charts/heat';
import { HeatChart } from '@/charts/lazy';
import { summarizeHeats } from '@/charts/summaries';
import { figureProps, type FigureSource } from './figure-props';
import type { DrawnCell } from './time-lines';

/** More maps are drawn next to each other. */
const MOST_STACKED = 2;
const NOT_LOADED = { first_second: 0, seconds_per_column: 1, columns: [], edges_ms: [] };

interface HeatFigureProps {
  source: FigureSource;
  cells: readonly DrawnCell[];
  isLoading: boolean;
  withWarmUp: boolean;
}

/** Draws how many requests had which latency in each second. */
export function HeatFigure({ source, cells, isLoading, withWarmUp }: HeatFigureProps) {
  const heats = cells.map(({ cell, charts }): Heat => {
    const map = charts?.heat_map ?? NOT_LOADED;
    const { first_second: first, seconds_per_column: width, columns } = map;
    const hidden = withWarmUp ? 0 : Math.max(0, Math.ceil(-first / width));
    return {
      id: cell.id,
      name: cell.framework.name,
      colour: cell.framework.colour,
      excluded: cell.excluded,
      firstSecond: first + hidden * width,
      secondsPerColumn: width,
      edgesMs: map.edges_ms,
      columns: columns.slice(hidden),
    };
  });
  return (
    <ChartFigure
      {...figureProps(
        source,
        'latency-heat-map',
        cells.map(({ cell }) => cell),
      )}
      title="Latency heat map"
      isWide={heats.length > MOST_STACKED}
      caption="Requests by second and latency (log axis), all trials combined. Stronger colour = more requests, as in the key. Separate bands suggest two request types; a tall column is a stall."
      summary={() => summarizeHeats(heats)}
      table={() => heatTable(heats)}
    >
      <HeatChart heats={heats} isLoading={isLoading} />
    </ChartFigure>
  );
}

function heatTable(heats: readonly Heat[]): ChartTable {
  return {
    columns: ['framework', 'second', 'low_ms', 'high_ms', 'requests'],
    rows: heats.flatMap((heat) =>
      heat.columns.flatMap((column, index) =>
        column.flatMap((count, row) =>
          count === 0
            ? []
            : [
                [
                  heat.name,
                  heat.firstSecond + index * heat.secondsPerColumn,
                  heat.edgesMs[row],
                  heat.edgesMs[row + 1],
                  count,
                ],
              ],
        ),
      ),
    ),
  };
}
