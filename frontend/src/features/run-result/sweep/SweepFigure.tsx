import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { useRef } from 'react';
import { scaleEnd } from '@/charts/bar-scale';
import { ChartFigure } from '@/charts/ChartFigure';
import { FigureMenu } from '@/charts/FigureMenu';
import { IntervalBar } from '@/charts/IntervalBar';
import { CurveChart } from '@/charts/lazy';
import { type Column, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { formatFigure } from '@/lib/format';
import { describeParameter, showParameter } from '@/lib/parameters';
import { isVisible } from '@/lib/visible';
import {
  embedOf,
  figureProps,
  type FigureSource,
  sweepOrigin,
} from '@/features/run-result/figures/figure-props';
import { type Block, hasBars, type Sweep } from '@/features/run-result/selection/groups';
import { sweepCurves, type SweepRow, sweepRows, sweepSummary, sweepTable } from './sweep';

export const SWEEP = 'sweep';

interface SweepFigureProps {
  source: FigureSource;
  block: Block;
  sweep: Sweep;
  metric: string;
  metricTitle: string;
  /** Frameworks shown, as in the URL; empty for all. */
  only: string;
}

/** Draws one metric of each framework against the swept parameter, as chart and table. */
export function SweepFigure({ source, block, sweep, metric, metricTitle, only }: SweepFigureProps) {
  const { title, unit } = describeParameter(sweep.parameter);
  const rows = sweepRows(block, sweep, metric);
  const shown = rows.filter((row) => isVisible(only, row.framework.slug));
  const measured = rows.flatMap((row) => row.points).find((point) => point.summary !== null);
  const figure = useRef<HTMLDivElement>(null);
  const shared = {
    filename: `tacho-${source.run.slug}-${metric}-by-${sweep.parameter}`,
    origin: sweepOrigin(source, sweep.parameter, block.groups[0].cells),
    title: `${metricTitle} against ${title.toLowerCase()}`,
    table: () => sweepTable(rows, sweep.parameter),
    summary: () => sweepSummary(rows, sweep),
  };
  if (hasBars(sweep)) {
    return (
      <Stack gap="xs">
        <Group justify="space-between">
          <h3>{shared.title}</h3>
          <FigureMenu {...shared} figure={figure} embed={embedOf(source, SWEEP)} />
        </Group>
        <div ref={figure}>
          <SweepTable rows={shown} sweep={sweep} withBars />
        </div>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <ChartFigure
        {...figureProps(source, SWEEP, block.groups[0].cells)}
        {...shared}
        caption="Look for lines that cross: there the order changes. Each point is one result. Whiskers show 95 % intervals; hollow points are excluded from ranking."
      >
        <CurveChart
          curves={sweepCurves(shown)}
          unit={measured?.summary?.unit ?? ''}
          x={{ label: title, unit }}
          height={320}
        />
      </ChartFigure>
      <SweepTable rows={rows} sweep={sweep} />
    </Stack>
  );
}

interface SweepTableProps {
  rows: readonly SweepRow[];
  sweep: Sweep;
  withBars?: boolean;
}

function SweepTable({ rows, sweep, withBars = false }: SweepTableProps) {
  const summaries = rows.flatMap(({ points }) => points.flatMap(({ summary }) => summary ?? []));
  const end = withBars ? scaleEnd(summaries) : null;
  return (
    <DataTable
      label="Results by swept value"
      {...(withBars ? { layout: 'cards' } : { hasFixedColumn: true })}
      {...(withBars && {
        caption:
          'Bars start at zero, with one scale for both values; whiskers show 95 % intervals.',
      })}
      rows={rows}
      rowKey={({ framework }) => framework.slug}
      columns={[
        {
          header: 'Framework',
          isRowHeader: true,
          card: 'title',
          cell: ({ framework }) => <MarkedName {...framework} />,
        },
        ...sweep.values.map((value, index): Column<SweepRow> => ({
          id: String(value),
          ...named(showParameter(sweep.parameter, value)),
          isNumeric: true,
          ...(withBars && { width: '40%' }),
          tone: ({ points }) => (points[index]?.cell?.excluded ? 'muted' : undefined),
          cell: ({ points }) => <Result point={points[index]} end={end} />,
        })),
      ]}
    />
  );
}

interface ResultProps {
  point: SweepRow['points'][number] | undefined;
  /** End of the scale of bars; null for none. */
  end: number | null;
}

function Result({ point, end }: ResultProps) {
  if (point === undefined) return null;
  const { cell, summary } = point;
  return (
    <>
      {end !== null && cell && summary && (
        <IntervalBar
          estimate={summary.estimate}
          low={summary.low}
          high={summary.high}
          end={end}
          colour={cell.framework.colour}
          excluded={cell.excluded}
          isBound={summary.is_bound}
        />
      )}
      <Quantity value={summary?.estimate} unit={summary?.unit ?? ''} isBound={summary?.is_bound} />
      {summary && (
        <div>
          <Interval
            estimate={summary.estimate}
            low={summary.low ?? null}
            high={summary.high ?? null}
            unit={summary.unit}
          />
        </div>
      )}
      {cell && cell.verdicts.some((verdict) => verdict.verdict !== 'ok') && (
        <Verdicts verdicts={cell.verdicts} />
      )}
    </>
  );
}

interface SweepPickerProps {
  block: Block;
  sweep: Sweep;
  value: string;
  onPick: (key: string) => void;
}

const MOST_SEGMENTS = 6;
/** More letters in all segments are wider than a phone. */
const MOST_LETTERS = 28;

/** Chooses which value of a sweep is shown in detail. */
export function SweepPicker({ block, sweep, value, onPick }: SweepPickerProps) {
  const { title, unit } = describeParameter(sweep.parameter);
  const data = block.groups.map((group, index) => ({
    value: group.key,
    label: formatFigure(sweep.values[index] ?? 0),
  }));
  const label = unit === '' ? title : `${title}, ${unit}`;
  const letters = data.reduce((sum, segment) => sum + segment.label.length, 0);
  if (data.length > MOST_SEGMENTS || letters > MOST_LETTERS) {
    return (
      <Select
        label={label}
        data={data}
        value={value}
        allowDeselect={false}
        onChange={(key) => {
          if (key !== null) onPick(key);
        }}
      />
    );
  }
  return (
    <Group gap="4px 12px">
      <span>{label}</span>
      <SegmentedControl aria-label={label} data={data} value={value} onChange={onPick} />
    </Group>
  );
}
