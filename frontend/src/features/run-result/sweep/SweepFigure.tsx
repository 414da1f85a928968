import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { ChartFigure } from '@/charts/ChartFigure';
import { CurveChart } from '@/charts/lazy';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { formatFigure } from '@/lib/format';
import { describeParameter, showParameter } from '@/lib/parameters';
import { isVisible } from '@/lib/visible';
import {
  figureProps,
  type FigureSource,
  sweepOrigin,
} from '@/features/run-result/figures/figure-props';
import type { Block, Sweep } from '@/features/run-result/selection/groups';
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
  return (
    <Stack gap="md">
      <ChartFigure
        {...figureProps(source, SWEEP, block.groups[0].cells)}
        filename={`tacho-${source.run.slug}-${metric}-by-${sweep.parameter}`}
        origin={sweepOrigin(source, sweep.parameter, block.groups[0].cells)}
        title={`${metricTitle} against ${title.toLowerCase()}`}
        caption="Look for lines that cross: there the order changes. Each point is one result. Whiskers show 95 % intervals; hollow points are excluded from ranking."
        table={() => sweepTable(rows, sweep.parameter)}
        summary={() => sweepSummary(rows, sweep)}
      >
        <CurveChart
          curves={sweepCurves(shown)}
          unit={measured?.summary?.unit ?? ''}
          x={{ label: title, unit }}
          height={320}
        />
      </ChartFigure>
      <DataTable
        label="Results by swept value"
        hasFixedColumn
        rows={rows}
        rowKey={({ framework }) => framework.slug}
        columns={[
          {
            id: 'framework',
            header: 'Framework',
            isRowHeader: true,
            cell: ({ framework }) => <MarkedName {...framework} />,
          },
          ...sweep.values.map((value, index): Column<SweepRow> => ({
            id: String(value),
            header: showParameter(sweep.parameter, value),
            isNumeric: true,
            tone: ({ points }) => (points[index]?.cell?.excluded ? 'muted' : undefined),
            cell: ({ points }) => <Result point={points[index]} />,
          })),
        ]}
      />
    </Stack>
  );
}

function Result({ point }: { point: SweepRow['points'][number] | undefined }) {
  if (point === undefined) return null;
  const { cell, summary } = point;
  return (
    <>
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
