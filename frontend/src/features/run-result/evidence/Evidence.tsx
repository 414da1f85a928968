import { Box } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { api } from '@/api/client';
import type {
  CellOut,
  ResponseChecksOut,
  RunOut,
  TrialDetail,
  WarmUpsOut,
  Latency,
} from '@/api/schema';
import { MarkedName } from '@/components/Marker';
import { ErrorState, LoadingState } from '@/components/States';
import { formatCount, formatValue } from '@/lib/format';
import { succeededTrials } from '@/features/run-result/figures/time-lines';
import { describeChecks, hasWrong, sumChecks } from './checks';
import classes from './Evidence.module.css';

/** Lists for each framework its checks before, under and after the load, its warm-up, and the delay of the load generator. */
export function Evidence({ run, cells }: { run: RunOut; cells: readonly CellOut[] }) {
  const trials = succeededTrials(run, cells);
  const { ready, error, details } = useQueries({
    queries: trials.map((trial) =>
      api.queryOptions('get', '/api/v1/trials/{trial_id}', {
        params: { path: { trial_id: trial.trialId } },
      }),
    ),
    combine: (results) => ({
      ready: results.every((result) => result.data !== undefined),
      error: results.find((result) => result.error)?.error ?? null,
      details: results.flatMap((result) => result.data ?? []),
    }),
  });
  if (error) return <ErrorState error={error} />;
  if (!ready) return <LoadingState lines={cells.length} />;
  return (
    <ul className={classes.list}>
      {cells.map((cell) => {
        const own = details.filter((detail) => detail.cell_id === cell.id);
        return own.length === 0 ? null : <CellEvidence key={cell.id} cell={cell} trials={own} />;
      })}
    </ul>
  );
}

function CellEvidence({ cell, trials }: { cell: CellOut; trials: readonly TrialDetail[] }) {
  const checks = trials.flatMap((trial) => trial.conformance);
  const passed = checks.filter((check) => check.passed).length;
  const after = trials.flatMap((trial) => trial.conformance_after);
  const changed = after.filter((check) => !check.passed);
  const responses = sumChecks(trials);
  const warmUps = cell.warm_ups;
  const late = trials.flatMap((trial) => trial.generator?.late_p99_ms ?? []);
  const { data: latency } = api.useQuery('get', '/api/v1/cells/{cell_id}/latency', {
    params: { path: { cell_id: cell.id } },
  });
  const last = trials.at(-1);
  return (
    <li className={classes.cell}>
      <MarkedName {...cell.framework} />
      <dl className={classes.facts}>
        <div>
          <dt>Verification</dt>
          <dd data-wrong={passed < checks.length}>
            {passed} of {formatCount(checks.length, 'check')} passed in{' '}
            {formatCount(trials.length, 'trial')}
          </dd>
        </div>
        {after.length > 0 && (
          <div>
            <dt>After the load</dt>
            <dd data-wrong={changed.length > 0}>
              {after.length - changed.length} of {formatCount(after.length, 'check')} passed
            </dd>
          </div>
        )}
        {warmUps && (
          <div>
            <dt>Warm-up</dt>
            <dd data-wrong={warmUps.unsteady > 0}>
              {describeWarmUps(warmUps)}
              {warmUps.reasons.length > 0 && '. '}
              {warmUps.reasons.join(' ')}
            </dd>
          </div>
        )}
        {late.length > 0 && (
          <div>
            <dt>Load generator</dt>
            <dd>
              p99 of the delay until it began a request: {formatValue(Math.max(...late), 'ms')}
            </dd>
          </div>
        )}
        {latency && latency.count > 0 && (
          <div>
            <dt>Latency counts</dt>
            <dd>{describeLatency(latency)}</dd>
          </div>
        )}
        {latency && latency.failed > 0 && (
          <div>
            <dt>Without a latency</dt>
            <dd>{formatCount(latency.failed, 'failed request')}</dd>
          </div>
        )}
      </dl>
      {responses && (
        <Box component="p" m="4px 0 0" data-wrong={hasWrong(trials)}>
          {describeChecks(responses).join(' ')}
        </Box>
      )}
      {responses?.first_wrong && <FirstWrong answer={responses.first_wrong} />}
      {changed.length > 0 && (
        <details className={classes.checks} open>
          <summary>Checks that failed after the load</summary>
          <CheckList checks={changed} />
        </details>
      )}
      {last && last.conformance.length > 0 && (
        <details className={classes.checks}>
          <summary>Checks of trial {last.repetition}</summary>
          <CheckList checks={last.conformance} />
        </details>
      )}
    </li>
  );
}

function CheckList({ checks }: { checks: TrialDetail['conformance'] }) {
  return (
    <ul>
      {checks.map(({ name, passed, expected, got }, index) => (
        <li key={index} data-wrong={!passed}>
          {name}: expected <code>{expected}</code>, got <code>{got}</code>
        </li>
      ))}
    </ul>
  );
}

function FirstWrong({ answer }: { answer: NonNullable<ResponseChecksOut['first_wrong']> }) {
  return (
    <figure className={classes.wrong}>
      <figcaption>
        First wrong response: <code>{answer.request}</code>
      </figcaption>
      <dl>
        <div>
          <dt>Expected</dt>
          <dd>
            <code>{answer.expected}</code>
          </dd>
        </div>
        <div>
          <dt>Got</dt>
          <dd>
            <code>{answer.got}</code>
          </dd>
        </div>
      </dl>
    </figure>
  );
}

/** Return `steady after 11–17 s`; when trials differ, each outcome with its count. */
export function describeWarmUps(warmUps: WarmUpsOut): string {
  const { shortest_seconds: low, longest_seconds: high, cap_seconds: cap } = warmUps;
  const took = low === high ? `${low} s` : `${low}–${high} s`;
  const kinds = [
    { trials: warmUps.steady, says: `steady after ${took}` },
    { trials: warmUps.unsteady, says: `not steady within ${cap} s` },
    { trials: warmUps.untested, says: `took ${took}, not tested` },
  ].filter(({ trials }) => trials > 0);
  return kinds
    .map(({ trials, says }) =>
      kinds.length === 1 ? says : `${says} in ${formatCount(trials, 'trial')}`,
    )
    .join(', ');
}

const SHOWN: readonly (readonly [string, number])[] = [
  ['p50', 0.5],
  ['p99', 0.99],
];

/** Return `from the due time p50 2 ms, p99 9 ms; from the send p50 1 ms, p99 3 ms`. */
export function describeLatency(latency: Latency): string {
  const described = `from the ${latency.counted_from} ${describeCurve(latency.percentiles)}`;
  if (latency.service_percentiles.length === 0) return described;
  return `${described}; from the send ${describeCurve(latency.service_percentiles)}`;
}

function describeCurve(curve: Latency['percentiles']): string {
  return SHOWN.flatMap(([name, quantile]) => {
    const point = curve.find((item) => item.quantile === quantile);
    return point ? `${name} ${formatValue(point.latency_ms, 'ms')}` : [];
  }).join(', ');
}
