import { Box } from '@mantine/core';
import type { CellOut } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import { type Curve, curveLevels, type Rule, xsOf } from '@/charts/curves';
import { CurveChart } from '@/charts/lazy';
import { extentOf } from '@/charts/scales';
import { summarizeMetrics } from '@/charts/summaries';
import { MarkedName } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import {
  figureProps,
  type FigureSource,
  namedSummaries,
} from '@/features/run-result/figures/figure-props';
import type { DrawnCell } from '@/features/run-result/figures/time-lines';
import {
  criterionRule,
  describeRates,
  LATENCIES,
  latencyCurves,
  rateRules,
  stepsTable,
  successCurves,
} from './steps';
import classes from './StepsFigures.module.css';

const OFFERED = { label: 'Offered rate', unit: 'req/s' };
const BY_LATENCY = 'latency-by-rate';
const BY_SUCCESS = 'success-by-rate';
const RATES = [
  ['sustained_rps', 'sustained rate'],
  ['knee_rps', 'knee'],
] as const;

interface StepsFiguresProps {
  source: FigureSource;
  cells: readonly DrawnCell[];
  isLoading: boolean;
  /** Key of the only figure to draw; without it, all are drawn. */
  figure?: string | undefined;
}

/** Draws latency and success against the offered rate, one panel per framework. */
export function StepsFigures({ source, cells: all, isLoading, figure }: StepsFiguresProps) {
  const known = all
    .filter(({ cell }) => isWanted(cell, figure))
    .map(({ cell, charts }) => ({ cell, trials: charts?.trial_steps ?? [] }));
  const cells = known.map(({ cell }) => cell);
  const table = () => stepsTable(known);
  const summary = () => summarizeMetrics(namedSummaries(cells), RATES);
  const shows = (key: string) => figure === undefined || figure.endsWith(key);
  const isWide = cells.length > 1;
  return (
    <>
      {shows(BY_LATENCY) && (
        <ChartFigure
          {...figureProps(source, BY_LATENCY, cells)}
          isWide={isWide}
          title="Latency against rate"
          caption="Look for the rate at which p99 bends upwards. Solid: p99. Dotted: p50. One line per trial; hollow points are failed steps."
          table={table}
          summary={summary}
        >
          <Panels
            unit="ms"
            isLoading={isLoading}
            panels={known.map(({ cell, trials }) => ({
              cell,
              curves: latencyCurves(cell, trials),
              rules: rateRules(trials),
              expected: cell.trials_succeeded * LATENCIES,
            }))}
          />
        </ChartFigure>
      )}
      {shows(BY_SUCCESS) && (
        <ChartFigure
          {...figureProps(source, BY_SUCCESS, cells)}
          isWide={isWide}
          title="Success against rate"
          caption="Share of offered requests that succeeded. A step below the red line ends the trial."
          table={table}
          summary={summary}
        >
          <Panels
            unit="share"
            isLoading={isLoading}
            panels={known.map(({ cell, trials }) => ({
              cell,
              curves: successCurves(cell, trials),
              rules: [criterionRule(cell)],
              expected: cell.trials_succeeded,
            }))}
          />
        </ChartFigure>
      )}
    </>
  );
}

/** Return whether a figure shows a cell. `<framework>-latency-by-rate` shows only that framework. */
function isWanted({ framework }: CellOut, figure: string | undefined): boolean {
  if (figure === undefined || figure === BY_LATENCY || figure === BY_SUCCESS) return true;
  return (
    figure === `${framework.slug}-${BY_LATENCY}` || figure === `${framework.slug}-${BY_SUCCESS}`
  );
}

interface Panel {
  cell: CellOut;
  curves: Curve[];
  rules: Rule[];
  /** Number of curves. */
  expected: number;
}

interface PanelsProps {
  panels: readonly Panel[];
  unit: string;
  isLoading: boolean;
}

/** Draws one chart per framework, all on the same scales. */
function Panels({ panels, unit, isLoading }: PanelsProps) {
  const scales = {
    extent: extentOf(panels.flatMap(({ curves, rules }) => curveLevels(curves, rules))),
    xs: xsOf(panels.flatMap(({ curves }) => curves)),
  };
  return (
    <div className={classes.panels}>
      {panels.map(({ cell, curves, rules, expected }) => (
        <Box key={cell.id} miw={0}>
          <h4 className={classes.title}>
            <MarkedName {...cell.framework} />
            <span className={ui.quiet}>{describeRates(cell.summary)}</span>
          </h4>
          <CurveChart
            curves={curves}
            unit={unit}
            x={OFFERED}
            rules={rules}
            scales={scales}
            isLoading={isLoading}
            expected={expected}
          />
        </Box>
      ))}
    </div>
  );
}
