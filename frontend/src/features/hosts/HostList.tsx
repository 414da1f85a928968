import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { HostOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { type Column, ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Hint } from '@/components/Hint';
import { HostStateBadge } from '@/components/HostStateBadge';
import ui from '@/components/ui.module.css';
import { formatCount, formatDay, formatFigure, joinWords } from '@/lib/format';
import { HostActivity } from './HostActivity';

const COLUMNS: readonly Column<HostOut>[] = [
  {
    header: 'Name',
    ...ROW_TITLE,
    sortBy: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/hosts/$name" params={{ name }} className={ui.link}>
        {name}
      </Link>
    ),
  },
  {
    header: 'State',
    card: 'value',
    sortBy: ({ state }) => state,
    cell: (host) => <HostStateBadge host={host} />,
  },
  {
    ...named('Now'),
    wraps: true,
    cell: (host) =>
      // The state is “ready” already.
      host.state === 'idle' && host.queued_trials === 0 ? (
        <span className={ui.quiet}>waits for a run</span>
      ) : (
        <HostActivity host={host} />
      ),
  },
  {
    ...named('CPUs'),
    wraps: true,
    sortBy: ({ fingerprint: { logical_cores: cpus } }) => (typeof cpus === 'number' ? cpus : null),
    cell: (host) => <Cpus host={host} />,
  },
  {
    ...named('Calibrated'),
    sortBy: ({ calibration }) => calibration?.measured_at,
    cell: ({ calibration }) => <Calibrated calibration={calibration ?? null} />,
  },
  {
    ...named('Detectable from'),
    cell: ({ calibration }) => <Detectable calibration={calibration ?? null} />,
  },
  {
    ...named('Last seen'),
    sortBy: ({ seen_at: at }) => at,
    cell: ({ seen_at: at }) => <Ago at={at} />,
  },
];

/** Lists bench hosts with what they do now and how small differences they detect. */
export function HostList({ hosts }: { hosts: readonly HostOut[] }) {
  return (
    <DataTable
      label="Hosts"
      layout="cards"
      columns={COLUMNS}
      rows={hosts}
      rowKey={({ id }) => id}
      caption="Smaller differences between two results of a host may come from noise or from the error of the load generator. They depend on metric and load."
    />
  );
}

function Cpus({ host: { fingerprint } }: { host: HostOut }) {
  const { logical_cores: cpus, cpu_model: model } = fingerprint;
  return (
    <>
      {typeof cpus === 'number' && formatCount(cpus, 'CPU')}
      {typeof model === 'string' && <div className={ui.quiet}>{model}</div>}
    </>
  );
}

type Calibration = NonNullable<HostOut['calibration']>;

function Calibrated({ calibration }: { calibration: Calibration | null }) {
  if (calibration === null) return <span className={ui.quiet}>not yet</span>;
  return (
    <>
      {formatDay(calibration.measured_at)}
      {!calibration.is_current && <div className={ui.quiet}>outdated: the host has changed</div>}
    </>
  );
}

/** Shows the smallest and the largest of the minimum detectable differences of the primary metrics. */
function Detectable({ calibration }: { calibration: Calibration | null }) {
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const titles = new Map(
    metrics.filter((metric) => metric.is_primary).map(({ metric, title }) => [metric, title]),
  );
  const noise = (calibration?.noise ?? [])
    .filter(({ metric }) => titles.has(metric))
    .sort((a, b) => a.smallest_ratio - b.smallest_ratio);
  const [least, most] = [noise[0], noise.at(-1)];
  if (least === undefined || most === undefined) return <span className={ui.quiet}>–</span>;
  const ofAll = noise.map(
    ({ metric, smallest_ratio: ratio }) => `${titles.get(metric) ?? metric} ${percent(ratio)}`,
  );
  const ends = [...new Set([percent(least.smallest_ratio), percent(most.smallest_ratio)])];
  return <Hint text={joinWords(ofAll)}>{ends.join(' to ')}</Hint>;
}

function percent(ratio: number): string {
  return `${formatFigure((ratio - 1) * 100)} %`;
}
