import { useQueries } from '@tanstack/react-query';
import type { Run, RunCell } from '@/api/runs';
import { trialQueries } from '@/api/trials';
import { ChartFigure } from '@/charts/ChartFigure';
import { CurveChart } from '@/charts/lazy';
import { ErrorState, LoadingState } from '@/components/States';
import {
  criterionRule,
  describeRates,
  latencyCurves,
  rateRules,
  stepsTable,
  successCurves,
  type TrialSteps,
} from './steps';
import { succeededTrials } from './time-lines';

const OFFERED = { label: 'rate offered', unit: 'req/s' };

interface StepsFiguresProps {
  run: Run;
  cells: readonly RunCell[];
}

/** Run till failure: latency and success against the rate offered, two figures a framework. */
export function StepsFigures({ run, cells }: StepsFiguresProps) {
  const measured = cells.filter((cell) => cell.trials_succeeded > 0);
  return measured.map((cell) => <CellSteps key={cell.id} run={run} cell={cell} />);
}

function CellSteps({ run, cell }: { run: Run; cell: RunCell }) {
  const trials = succeededTrials(run, [cell]);
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
  const filename = `tacho-${run.slug}-${slug}`;
  return (
    <>
      <ChartFigure
        title={`${name}: latency against rate`}
        caption={`p99 whole, p50 dotted, a line a trial; hollow where the step failed. Here: ${describeRates(cell.summary)}.`}
        filename={`${filename}-latency-by-rate`}
        table={table}
      >
        {ready ? (
          <CurveChart curves={latencyCurves(cell, known)} unit="ms" x={OFFERED} rules={rules} />
        ) : (
          <LoadingState lines={6} height={24} />
        )}
      </ChartFigure>
      <ChartFigure
        title={`${name}: success against rate`}
        caption="Successful requests of those offered; a step that falls below the line ends the trial."
        filename={`${filename}-success-by-rate`}
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
    </>
  );
}
