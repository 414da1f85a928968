import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { GeneratorOverhead, Host, Noise, Truth } from '@/api/hosts';
import { metricQueries } from '@/api/metrics';
import { verdictQueries } from '@/api/verdicts';
import { CodeBlock } from '@/components/CodeBlock';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { VerdictLabel } from '@/components/VerdictBadge';
import { formatDateTime, formatFigure, formatValue, words } from '@/lib/format';
import { TACHO } from '@/lib/shell';
import classes from './Calibration.module.css';

const COMMAND = `${TACHO} doctor --calibrate`;

/** Shows the newest calibration of a host: overhead, noise and accuracy. */
export function HostCalibration({ host }: { host: Host }) {
  const { calibration } = host;
  if (!calibration) {
    return (
      <Section title="Calibration">
        <EmptyState title="Not calibrated yet">
          A calibration measures the overhead of the load generator, the noise of this host, and
          whether known latencies are reported correctly. Charts then show overhead and noise as
          bands. It takes a few minutes on an idle host:
          <CodeBlock label="On the host" code={COMMAND} />
        </EmptyState>
      </Section>
    );
  }
  return (
    <>
      <Section
        title="Calibration"
        hint={
          <>
            Measured {formatDateTime(calibration.measured_at)} in{' '}
            {calibration.permalink === null ? (
              'a separate run'
            ) : (
              <Link to="/r/$run" params={{ run: slugOf(calibration.permalink) }}>
                a separate run
              </Link>
            )}
            . Repeat it with <code>{COMMAND}</code>.
          </>
        }
      >
        {!calibration.is_current && (
          <Notice title="Outdated">
            The host has changed since: its CPU sets, kernel, container engine or Tacho version.
            Charts show no bands until you calibrate it again.
          </Notice>
        )}
        <h3 className={classes.title}>Load generator overhead</h3>
        <p className={classes.hint}>
          Latencies of a server that does nothing. No service can measure below them.
        </p>
        <OverheadTable overheads={calibration.overheads} />
        <h3 className={classes.title}>Minimum detectable difference</h3>
        <p className={classes.hint}>
          One service measured twice, as if it were two. Between two results with as many trials, a
          smaller ratio may be noise.
        </p>
        <NoiseTable noise={calibration.noise} />
        <h3 className={classes.title}>Accuracy</h3>
        <p className={classes.hint}>
          A reference service responds with known latencies. Reported values must be within 2 % +
          0.3 ms.
        </p>
        <TruthTable truth={calibration.truth} />
      </Section>
    </>
  );
}

function slugOf(permalink: string): string {
  return permalink.split('/').at(-1) ?? '';
}

function OverheadTable({ overheads }: { overheads: readonly GeneratorOverhead[] }) {
  const known = useQuery(verdictQueries.list());
  const excludes = (verdict: string) =>
    known.data?.some((row) => row.verdict === verdict && row.excludes_from_ranking) ?? false;
  if (overheads.length === 0) return <p className={classes.none}>No trial succeeded.</p>;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Rate</th>
          <th scope="col">p50</th>
          <th scope="col">p99</th>
          <th scope="col">Trials</th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {overheads.map((overhead) => (
          <tr key={overhead.rate_rps}>
            <th scope="row">{formatValue(overhead.rate_rps, 'req/s')}</th>
            <td>{formatValue(overhead.latency_p50_ms, 'ms')}</td>
            <td>{formatValue(overhead.latency_p99_ms, 'ms')}</td>
            <td>{overhead.trials}</td>
            <td>
              <span className={classes.verdicts}>
                {overhead.verdicts.map((verdict) => (
                  <VerdictLabel key={verdict} verdict={verdict} excludes={excludes(verdict)} />
                ))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Main metrics; the others are collapsed. */
const FIRST = new Set(['cpu_us_per_request', 'latency_p50_ms', 'latency_p99_ms', 'throughput_rps']);

function NoiseTable({ noise }: { noise: readonly Noise[] }) {
  if (noise.length === 0) return <p className={classes.none}>Too few trials succeeded.</p>;
  const rest = noise.filter((noise) => !FIRST.has(noise.metric));
  return (
    <>
      <NoiseRows noise={noise.filter((noise) => FIRST.has(noise.metric))} />
      {rest.length > 0 && (
        <details className={classes.rest}>
          <summary>{rest.length} other metrics</summary>
          <NoiseRows noise={rest} />
        </details>
      )}
    </>
  );
}

function NoiseRows({ noise }: { noise: readonly Noise[] }) {
  const metrics = useQuery(metricQueries.list());
  const title = (metric: string) =>
    metrics.data?.find((row) => row.metric === metric)?.title ?? words(metric);
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Detectable from</th>
          <th scope="col">Between trials</th>
          <th scope="col">A/A ratio</th>
          <th scope="col">Trials</th>
          <th scope="col">Measured with</th>
        </tr>
      </thead>
      <tbody>
        {noise.map((noise) => (
          <tr key={`${noise.metric} ${noise.profile}`}>
            <th scope="row">{title(noise.metric)}</th>
            <td>
              <strong>{formatFigure(noise.smallest_ratio)}×</strong>
            </td>
            <td>±{formatValue(noise.variation, 'share')}</td>
            <td>{formatFigure(noise.aa_ratio)}×</td>
            <td>{noise.trials}</td>
            <td>
              {noise.framework} on {noise.scenario}, {words(noise.profile)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TruthTable({ truth }: { truth: readonly Truth[] }) {
  if (truth.length === 0) return <p className={classes.none}>Not checked.</p>;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Quantile</th>
          <th scope="col">Expected</th>
          <th scope="col">Reported</th>
          <th scope="col">Rate</th>
          <th scope="col">Correct</th>
        </tr>
      </thead>
      <tbody>
        {truth.map((row) => (
          <tr key={`${row.rate_rps} ${row.quantile}`}>
            <th scope="row">p{Number((row.quantile * 100).toFixed(3))}</th>
            <td>{formatValue(row.expected_ms, 'ms')}</td>
            <td>{formatValue(row.reported_ms, 'ms')}</td>
            <td>{formatValue(row.rate_rps, 'req/s')}</td>
            <td data-within={row.is_within}>{row.is_within ? 'yes' : 'no'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
