import { useQueries } from '@tanstack/react-query';
import type { RunCell } from '@/api/runs';
import { trialQueries } from '@/api/trials';
import { ChartFigure } from '@/charts/ChartFigure';
import { CurveChart } from '@/charts/lazy';
import { ErrorState, LoadingState } from '@/components/States';
import { figureProps, type FigureSource } from '@/features/run-result/figures/figure-props';
import {
  criterionRule,
  describeRates,
  latencyCurves,
  rateRules,
  stepsTable,
  successCurves,
  type TrialSteps,
} from './steps';
import { succeededTrials } from '@/features/run-result/figures/time-lines';

const OFFERED = { label: 'offered rate', unit: 'req/s' };

interface StepsFiguresProps {
  source: FigureSource;
  cells: readonly RunCell[];
  /** Key of the only figure to draw; without it, all are drawn. */
  figure?: string | undefined;
}

/** Draws two figures per framework for a run until failure: latency and success against the offered rate. */
export function StepsFigures({ source, cells, figure }: StepsFiguresProps) {
  const measured = cells.filter((cell) => cell.trials_succeeded > 0);
  return measured.map((cell) => (
    <CellSteps key={cell.id} source={source} cell={cell} figure={figure} />
  ));
}

interface CellStepsProps {
  source: FigureSource;
  cell: RunCell;
  figure: string | undefined;
}

function CellSteps({ source, cell, figure }: CellStepsProps) {
  const trials = succeededTrials(source.run, [cell]);
  const { ready, error, steps } = useQueries({
    queries: trials.map((trial) => trialQueries.steps(trial.trialId)),
    combine: (results) => ({
      ready: results.every((result) => result.data !== undefined),
      error: results.find((result) => result.error)?.error ?? null,
      steps: results.map((result) => result.data),
    }),
  });
  if (error) return <ErrorState error={error} />;
  const known: TrialSteps[] = trials.flatMap(({ repetition }, index) => {
    const found = steps[index];
    return found ? [{ repetition, found }] : [];
  });
  const { name, slug } = cell.framework;
  const table = () => stepsTable(cell, known);
  const rules = rateRules(known);
  const byLatency = `${slug}-latency-by-rate`;
  const bySuccess = `${slug}-success-by-rate`;
  const wanted = (key: string) => figure === undefined || figure === key;
  return (
    <>
      {wanted(byLatency) && (
        <ChartFigure
          {...figureProps(source, byLatency, [cell])}
          title={`${name}: latency against rate`}
          caption={`Solid: p99. Dotted: p50. One line per trial; hollow points are failed steps. Result: ${describeRates(cell.summary)}.`}
          table={table}
        >
          {ready ? (
            <CurveChart curves={latencyCurves(cell, known)} unit="ms" x={OFFERED} rules={rules} />
          ) : (
            <LoadingState lines={6} height={24} />
          )}
        </ChartFigure>
      )}
      {wanted(bySuccess) && (
        <ChartFigure
          {...figureProps(source, bySuccess, [cell])}
          title={`${name}: success against rate`}
          caption="Share of offered requests that succeeded. A step below the line ends the trial."
          table={table}
        >
          {ready ? (
            <CurveChart
              curves={successCurves(cell, known)}
              unit="share"
              x={OFFERED}
              rules={[criterionRule(cell)]}
            />
          ) : (
            <LoadingState lines={6} height={24} />
          )}
        </ChartFigure>
      )}
    </>
  );
}
