import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { GeneratorOverheadOut, HostOut, NoiseOut, TruthOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { DataTable } from '@/components/data-table/DataTable';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { VerdictLabel } from '@/components/VerdictBadge';
import { formatDateTime, formatFigure, formatValue, words } from '@/lib/format';
import { TACHO } from '@/lib/shell';
import classes from './Calibration.module.css';
import { TwoGenerators } from './TwoGenerators';

const COMMAND = `${TACHO} doctor --calibrate`;

/** Shows the newest calibration of a host: overhead, noise and accuracy. */
export function HostCalibration({ host }: { host: HostOut }) {
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
          Latencies of a server that does nothing. The latencies of all services contain them.
        </p>
        <OverheadTable overheads={calibration.overheads} />
        <h3 className={classes.title}>Minimum detectable difference</h3>
        <p className={classes.hint}>
          One service measured twice, as if it were two. Between two results with as many trials, a
          smaller ratio may come from noise or from the error of the load generator.
        </p>
        <NoiseTable noise={calibration.noise} />
        <h3 className={classes.title}>Accuracy</h3>
        <p className={classes.hint}>
          A reference service responds with known latencies. Reported values must be within 2 % +
          0.3 ms.
        </p>
        <TruthTable truth={calibration.truth} />
        <TwoGenerators disagreements={calibration.disagreements} />
      </Section>
    </>
  );
}

function slugOf(permalink: string): string {
  return permalink.split('/').at(-1) ?? '';
}

function OverheadTable({ overheads }: { overheads: readonly GeneratorOverheadOut[] }) {
  const known = api.useQuery('get', '/api/v1/verdicts');
  const excludes = (verdict: string) =>
    known.data?.items.some((row) => row.verdict === verdict && row.excludes_from_ranking) ?? false;
  return (
    <DataTable
      label="Load generator overhead"
      rows={overheads}
      rowKey={(overhead) => String(overhead.rate_rps)}
      empty="No trial succeeded."
      columns={[
        {
          header: 'Rate',
          isRowHeader: true,
          cell: (overhead) => formatValue(overhead.rate_rps, 'req/s'),
        },
        {
          header: 'p50',
          isNumeric: true,
          cell: (overhead) => formatValue(overhead.latency_p50_ms, 'ms'),
        },
        {
          header: 'p99',
          isNumeric: true,
          cell: (overhead) => formatValue(overhead.latency_p99_ms, 'ms'),
        },
        { header: 'Trials', isNumeric: true, cell: (overhead) => overhead.trials },
        {
          header: 'Verdict',
          cell: (overhead) => (
            <span className={ui.inline}>
              {overhead.verdicts.map((verdict) => (
                <VerdictLabel key={verdict} verdict={verdict} excludes={excludes(verdict)} />
              ))}
            </span>
          ),
        },
      ]}
    />
  );
}

function NoiseTable({ noise }: { noise: readonly NoiseOut[] }) {
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  if (noise.length === 0) return <p className={ui.quiet}>Too few trials succeeded.</p>;
  const primary = new Set<string>(
    metrics.filter((metric) => metric.is_primary).map(({ metric }) => metric),
  );
  const rest = noise.filter((noise) => !primary.has(noise.metric));
  return (
    <>
      <NoiseRows noise={noise.filter((noise) => primary.has(noise.metric))} />
      {rest.length > 0 && (
        <details className={classes.rest}>
          <summary>{rest.length} other metrics</summary>
          <NoiseRows noise={rest} />
        </details>
      )}
    </>
  );
}

function NoiseRows({ noise }: { noise: readonly NoiseOut[] }) {
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const title = (metric: string) =>
    metrics.data?.items.find((row) => row.metric === metric)?.title ?? words(metric);
  return (
    <DataTable
      label="Minimum detectable difference"
      rows={noise}
      rowKey={({ metric, profile }) => `${metric} ${profile}`}
      columns={[
        { header: 'Metric', isRowHeader: true, cell: ({ metric }) => title(metric) },
        {
          header: 'Detectable from',
          isNumeric: true,
          cell: ({ smallest_ratio: ratio }) => <strong>{formatFigure(ratio)}×</strong>,
        },
        {
          header: 'Between trials',
          isNumeric: true,
          cell: ({ variation }) => `±${formatValue(variation, 'share')}`,
        },
        {
          header: 'A/A ratio',
          isNumeric: true,
          cell: ({ aa_ratio: ratio }) => `${formatFigure(ratio)}×`,
        },
        {
          header: 'Generators',
          isNumeric: true,
          cell: ({ instrument_ratio: ratio }) =>
            ratio === null || ratio === 1 ? '–' : `${formatFigure(ratio)}×`,
        },
        { header: 'Trials', isNumeric: true, cell: ({ trials }) => trials },
        {
          header: 'Measured with',
          cell: ({ framework, scenario, profile }) =>
            `${framework} on ${scenario}, ${words(profile)}`,
        },
      ]}
    />
  );
}

function TruthTable({ truth }: { truth: readonly TruthOut[] }) {
  return (
    <DataTable
      label="Accuracy"
      rows={truth}
      rowKey={({ rate_rps: rate, quantile }) => `${rate} ${quantile}`}
      empty="Not checked."
      columns={[
        {
          header: 'Quantile',
          isRowHeader: true,
          cell: ({ quantile }) => `p${Number((quantile * 100).toFixed(3))}`,
        },
        { header: 'Expected', isNumeric: true, cell: (row) => formatValue(row.expected_ms, 'ms') },
        { header: 'Reported', isNumeric: true, cell: (row) => formatValue(row.reported_ms, 'ms') },
        { header: 'Rate', isNumeric: true, cell: (row) => formatValue(row.rate_rps, 'req/s') },
        {
          header: 'Correct',
          tone: (row) => (row.is_within ? undefined : 'bad'),
          cell: (row) => (row.is_within ? 'yes' : 'no'),
        },
      ]}
    />
  );
}
