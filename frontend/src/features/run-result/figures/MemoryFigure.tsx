import type { MetricSummary, RunCell } from '@/api/runs';
import { ChartFigure } from '@/charts/ChartFigure';
import { MarkedName } from '@/components/Marker';
import { formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { figureProps, type FigureSource } from './figure-props';
import classes from './MemoryFigure.module.css';

/** Kinds of memory, from the service's own to what the kernel can reclaim. */
const KINDS = [
  { metric: 'memory_anon_bytes', name: 'anonymous', opacity: 0.95 },
  { metric: 'memory_file_bytes', name: 'file', opacity: 0.5 },
  { metric: 'memory_sock_bytes', name: 'socket', opacity: 0.2 },
] as const;

/** Draws the memory of each service by kind, one bar per framework. */
export function MemoryFigure({
  source,
  cells,
}: {
  source: FigureSource;
  cells: readonly RunCell[];
}) {
  const known = cells.filter(({ summary }) => summary.memory_anon_bytes !== undefined);
  const total = (cell: RunCell) =>
    KINDS.reduce((sum, { metric }) => sum + (cell.summary[metric]?.estimate ?? 0), 0);
  const end = Math.max(...known.map(total), 1);
  const sorted = [...known].sort((a, b) => total(a) - total(b));
  return (
    <ChartFigure
      {...figureProps(source, 'memory-by-kind', cells)}
      legend={[]}
      title="Memory by kind"
      caption="Dark: anonymous memory, held by the service. Medium: file pages, which the kernel may reclaim. Light: socket buffers."
      table={() => ({
        columns: ['framework', 'kind', 'estimate_bytes', 'low_bytes', 'high_bytes', 'n'],
        rows: known.flatMap(({ framework, summary }) =>
          KINDS.map(({ metric, name }) => {
            const value: MetricSummary | undefined = summary[metric];
            return [framework.name, name, value?.estimate, value?.low, value?.high, value?.n];
          }),
        ),
      })}
    >
      {known.length === 0 ? (
        <p className={classes.none}>This runtime does not report memory by kind.</p>
      ) : (
        <ul className={classes.bars}>
          {sorted.map((cell) => (
            <li key={cell.id}>
              <MarkedName {...cell.framework} />
              <StackedBar cell={cell} end={end} />
              <span className={classes.value}>{describe(cell)}</span>
            </li>
          ))}
        </ul>
      )}
    </ChartFigure>
  );
}

function StackedBar({ cell, end }: { cell: RunCell; end: number }) {
  const parts = KINDS.map(({ metric, opacity }) => ({
    metric,
    opacity,
    share: ((cell.summary[metric]?.estimate ?? 0) / end) * 100,
  }));
  return (
    <svg width="100%" height="20" className={classes.bar} aria-hidden>
      {parts.map(({ metric, opacity, share }, index) => (
        <rect
          key={metric}
          x={`${parts.slice(0, index).reduce((sum, part) => sum + part.share, 0)}%`}
          y="4"
          width={`${share}%`}
          height="12"
          fill={seriesColour(cell.framework.colour)}
          fillOpacity={opacity}
        />
      ))}
    </svg>
  );
}

/** `13.8 MiB · 327 KiB · 0 B`. */
function describe({ summary }: RunCell): string {
  return KINDS.map(({ metric }) => formatValue(summary[metric]?.estimate, 'B')).join(' · ');
}
