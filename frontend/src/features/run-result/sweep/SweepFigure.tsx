import { SegmentedControl, Select } from '@mantine/core';
import { ChartFigure } from '@/charts/ChartFigure';
import { CurveChart } from '@/charts/lazy';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { formatFigure } from '@/lib/format';
import { describeParameter, showParameter } from '@/lib/parameters';
import { isVisible } from '@/lib/visible';
import { figureProps, type FigureSource } from '@/features/run-result/figures/figure-props';
import type { Block, Sweep } from '@/features/run-result/selection/groups';
import { sweepCurves, sweepRows, sweepTable } from './sweep';
import classes from './SweepFigure.module.css';

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
    <div className={classes.sweep}>
      <ChartFigure
        {...figureProps(source, SWEEP, block.groups[0].cells)}
        filename={`tacho-${source.run.slug}-${metric}-by-${sweep.parameter}`}
        title={`${metricTitle} against ${title.toLowerCase()}`}
        caption="Each point is one result. Whiskers show 95 % intervals; hollow points are excluded from ranking."
        table={() => sweepTable(rows, sweep.parameter)}
      >
        <CurveChart
          curves={sweepCurves(shown)}
          unit={measured?.summary?.unit ?? ''}
          x={{ label: title, unit }}
          height={320}
        />
      </ChartFigure>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Sweep, scrollable">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Framework</th>
              {sweep.values.map((value) => (
                <th key={value} scope="col" className={classes.number}>
                  {showParameter(sweep.parameter, value)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ framework, points }) => (
              <tr key={framework.slug}>
                <th scope="row">
                  <MarkedName {...framework} />
                </th>
                {points.map(({ value, cell, summary }) => (
                  <td
                    key={value}
                    className={classes.number}
                    data-excluded={cell?.excluded ?? false}
                  >
                    <Quantity value={summary?.estimate} unit={summary?.unit ?? ''} />
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
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface SweepPickerProps {
  block: Block;
  sweep: Sweep;
  value: string;
  onPick: (key: string) => void;
}

const MOST_SEGMENTS = 6;

/** Chooses which value of a sweep is shown in detail. */
export function SweepPicker({ block, sweep, value, onPick }: SweepPickerProps) {
  const { title, unit } = describeParameter(sweep.parameter);
  const data = block.groups.map((group, index) => ({
    value: group.key,
    label: formatFigure(sweep.values[index] ?? 0),
  }));
  const label = unit === '' ? title : `${title}, ${unit}`;
  if (data.length > MOST_SEGMENTS) {
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
    <div className={classes.picker}>
      <span>{label}</span>
      <SegmentedControl aria-label={label} data={data} value={value} onChange={onPick} />
    </div>
  );
}
