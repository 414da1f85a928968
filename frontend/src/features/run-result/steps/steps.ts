/** Turns a load in steps into curves over the offered rate; pure. */
import type { CellOut, MetricSummary, StepOut, TrialStepsOut } from '@/api/schema';
import type { Curve, CurveDot, Rule } from '@/charts/curves';
import { formatFigure } from '@/lib/format';
import type { ChartTable } from '@/lib/table-files';

type Latency = 'latency_p50_ms' | 'latency_p99_ms';

function dot(step: StepOut, y: number | null): CurveDot {
  return { x: step.target_rps, y, ...(!step.passed && { hollow: true, note: 'step failed' }) };
}

const QUANTILES: readonly { key: Latency; name: string; dash?: string }[] = [
  { key: 'latency_p99_ms', name: 'p99' },
  { key: 'latency_p50_ms', name: 'p50', dash: '2 3' },
];

/** Number of latency curves of a trial. */
export const LATENCIES = QUANTILES.length;

/** Return a solid p99 curve and a dotted p50 curve per trial; failed steps are hollow. */
export function latencyCurves(cell: CellOut, trials: readonly TrialStepsOut[]): Curve[] {
  return QUANTILES.flatMap(({ key, name, dash }) =>
    trials.map(({ repetition, steps }) => ({
      id: `${key} ${repetition}`,
      name: trials.length === 1 ? name : `${name}, trial ${repetition}`,
      colour: cell.framework.colour,
      ...(dash !== undefined && { dash }),
      dots: steps.map((step) => dot(step, step[key])),
    })),
  );
}

/** Return the share of offered requests that succeeded, one curve per trial. */
export function successCurves(cell: CellOut, trials: readonly TrialStepsOut[]): Curve[] {
  return trials.map(({ repetition, steps }) => ({
    id: String(repetition),
    name: trials.length === 1 ? 'success' : `trial ${repetition}`,
    colour: cell.framework.colour,
    dots: steps.map((step) => dot(step, step.success_ratio)),
  }));
}

/** Return rules at the sustained rate and the knee; with several trials, at the lowest. */
export function rateRules(trials: readonly TrialStepsOut[]): Rule[] {
  const sustained = trials.map((trial) => trial.sustained_rps);
  const knees = trials.flatMap((trial) => trial.knee_rps ?? []);
  const held = sustained.flatMap((rate) => rate ?? []);
  const limit = held.length === trials.length ? Math.min(...held) : null;
  const knee = knees.length > 0 ? Math.min(...knees) : null;
  const rules: Rule[] = [];
  if (limit !== null && trials.length > 0) {
    const what = limit === knee ? 'sustained, knee' : 'sustained';
    rules.push({ axis: 'x', at: limit, label: `${what} ${formatFigure(limit)}`, tone: 'good' });
  }
  if (knee !== null && knee !== limit) {
    rules.push({ axis: 'x', at: knee, label: `knee ${formatFigure(knee)}`, tone: 'quiet' });
  }
  return rules;
}

/** Return a rule at the success share that a step must reach. */
export function criterionRule(cell: CellOut): Rule {
  const percent = cell.parameters.success_percent ?? 100;
  return { axis: 'y', at: percent / 100, label: `must reach ${percent} %`, tone: 'bad' };
}

/** The steps of the trials of one result. */
export interface CellSteps {
  cell: CellOut;
  trials: readonly TrialStepsOut[];
}

export function stepsTable(results: readonly CellSteps[]): ChartTable {
  return {
    columns: [
      'framework',
      'rate, req/s',
      'trial',
      'passed',
      'success, %',
      'offered',
      'failed',
      'dropped',
      'p50, ms',
      'p99, ms',
      'CPU per request, µs',
    ],
    rows: results.flatMap(({ cell, trials }) =>
      trials.flatMap(({ repetition, steps }) =>
        steps.map((step) => [
          cell.framework.name,
          step.target_rps,
          repetition,
          step.passed ? 'yes' : 'no',
          step.success_ratio * 100,
          step.offered,
          step.failed,
          step.dropped,
          step.latency_p50_ms,
          step.latency_p99_ms,
          step.cpu_us_per_request,
        ]),
      ),
    ),
  };
}

/** Return `sustained 5 000 req/s, knee at 4 000`, leaving out what is unknown. */
export function describeRates(summary: Partial<Record<string, MetricSummary>>): string {
  const sustained = summary.sustained_rps?.estimate;
  const knee = summary.knee_rps?.estimate;
  const first =
    sustained === undefined ? 'no step passed' : `sustained ${formatFigure(sustained)} req/s`;
  return knee === undefined ? first : `${first}, knee at ${formatFigure(knee)}`;
}
