import { Text } from '@mantine/core';
import type { CellOut, MetricSummary } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import { summarizeMetrics } from '@/charts/summaries';
import { type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatValue } from '@/lib/format';
import { seriesColour } from '@/lib/tokens';
import { figureProps, type FigureSource, namedSummaries } from './figure-props';

/** Kinds of memory, from the service's own to what the kernel can reclaim. */
const KINDS = [
  { metric: 'memory_anon_bytes', name: 'anonymous', opacity: 0.95 },
  { metric: 'memory_file_bytes', name: 'file', opacity: 0.5 },
  { metric: 'memory_sock_bytes', name: 'socket', opacity: 0.2 },
] as const;

const COLUMNS = KINDS.map(({ metric, name }) => [metric, name] as const);

/** Draws the memory of each service by kind, one bar per framework. */
export function MemoryFigure({
  source,
  cells,
}: {
  source: FigureSource;
  cells: readonly CellOut[];
}) {
  const known = cells.filter(({ summary }) => summary.memory_anon_bytes !== undefined);
  const total = (cell: CellOut) =>
    KINDS.reduce((sum, { metric }) => sum + (cell.summary[metric]?.estimate ?? 0), 0);
  const end = Math.max(...known.map(total), 1);
  const sorted = [...known].sort((a, b) => total(a) - total(b));
  return (
    <ChartFigure
      {...figureProps(source, 'memory-by-kind', cells)}
      legend={[]}
      title="Memory by kind"
      caption="Anonymous memory is held by the service. The kernel may reclaim file pages. Socket memory holds what is sent and received. Least memory first."
      summary={() => summarizeMetrics(namedSummaries(sorted), COLUMNS)}
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
        <Text c="dimmed" my="md">
          This runtime does not report memory by kind.
        </Text>
      ) : (
        <DataTable
          label="Memory by kind, in numbers"
          layout="cards"
          rows={sorted}
          rowKey={({ id }) => id}
          columns={[
            {
              header: 'Framework',
              ...ROW_TITLE,
              cell: ({ framework }) => <MarkedName {...framework} />,
            },
            {
              header: 'Memory',
              width: '32%',
              cell: (cell) => <StackedBar cell={cell} end={end} />,
            },
            ...KINDS.map(({ metric, name, opacity }): Column<CellOut> => ({
              id: metric,
              ...named(<KindName name={name} opacity={opacity} />),
              isNumeric: true,
              card: 'foot',
              cell: ({ summary }) => formatValue(summary[metric]?.estimate, 'B'),
            })),
          ]}
        />
      )}
    </ChartFigure>
  );
}

function StackedBar({ cell, end }: { cell: CellOut; end: number }) {
  const parts = KINDS.map(({ metric, opacity }) => ({
    metric,
    opacity,
    share: ((cell.summary[metric]?.estimate ?? 0) / end) * 100,
  }));
  return (
    <svg width="100%" height="20" style={{ display: 'block' }} aria-hidden>
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

/** Names a kind of memory, with the strength of its part of the bars. */
function KindName({ name, opacity }: { name: string; opacity: number }) {
  return (
    <span className={ui.inline}>
      <svg width="10" height="10" aria-hidden>
        <rect width="10" height="10" fill="var(--tacho-ink)" fillOpacity={opacity} />
      </svg>
      {name}
    </span>
  );
}
