import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { CommitChangeOut, CommitPointOut, MetricOut, ServiceHistoryOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import { formatChange, formatChangeInterval, isNumber, nameOwn } from './changes';
import { GuardStep } from './GuardBadge';
import { serviceHistoryQuery } from './query';

/** Shows how the commits of a service compare with a reference, newest first. */
export function ServiceHistory({ service }: { service: string }) {
  const { data } = useQuery(serviceHistoryQuery(service));
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  return (data?.items ?? []).map((history) => (
    <Section
      key={`${history.reference.commit ?? ''} ${history.host} ${history.runtime}`}
      title={`History since ${labelOf(history)}`}
      hint={`Each commit next to ${labelOf(history)}, on ${history.host} (${history.runtime}).`}
    >
      <HistoryTable history={history} metrics={metrics} />
    </Section>
  ));
}

interface HistoryTableProps {
  history: ServiceHistoryOut;
  metrics: readonly MetricOut[];
}

function HistoryTable({ history, metrics }: HistoryTableProps) {
  const keys = [...new Set(history.points.flatMap(({ changes }) => changes.map(keyOf)))];
  const loads = new Set(history.points.flatMap(({ changes }) => changes.map(({ load }) => load)));
  return (
    <DataTable
      label={`History since ${labelOf(history)}`}
      layout="cards"
      rows={[...history.points].reverse()}
      rowKey={({ slug }) => slug}
      columns={[
        {
          id: 'commit',
          header: 'Commit',
          isRowHeader: true,
          wraps: true,
          card: 'title',
          cell: ({ slug, head }) => (
            <Link to="/guards/$slug" params={{ slug }} className={ui.link}>
              <code>{head.commit?.slice(0, SHOWN_CHARACTERS)}</code> {head.title}
            </Link>
          ),
        },
        ...keys.map(
          (key): Column<CommitPointOut> => ({
            id: key,
            header: nameColumn(key, metrics, loads.size > 1),
            isNumeric: true,
            cardLabel: nameColumn(key, metrics, loads.size > 1),
            cell: ({ changes }) => {
              const found = changes.find((change) => keyOf(change) === key);
              return found === undefined ? '–' : <CommitChange found={found} />;
            },
          }),
        ),
        {
          id: 'at',
          header: 'Measured',
          cardLabel: 'Measured',
          cell: ({ measured_at: at }) => <Ago at={at} />,
        },
      ]}
    />
  );
}

const SHOWN_CHARACTERS = 10;

/** Shows `+2.1 %`, or the interval of a change that is not decided, and a step. */
function CommitChange({ found: { change, step, confirmed_by: confirmedBy } }: { found: CommitChangeOut }) {
  return (
    <>
      {isNumber(change.ratio) ? (
        <span title={formatChangeInterval(change) ?? ''}>{formatChange(change.ratio)}</span>
      ) : (
        <span className={ui.quiet}>{formatChangeInterval(change) ?? 'unknown'}</span>
      )}
      {step && (
        <>
          {' '}
          <GuardStep step={step} isConfirmed={confirmedBy !== null} />
        </>
      )}
    </>
  );
}

function labelOf({ reference: { name, commit } }: ServiceHistoryOut): string {
  const isHash = commit?.startsWith(name) ?? false;
  return isHash ? name.slice(0, SHOWN_CHARACTERS) : name;
}

function keyOf({ load, change }: CommitChangeOut): string {
  return `${load} ${change.metric}`;
}

/** `CPU per request`, with the load in front if there are several. */
function nameColumn(key: string, metrics: readonly MetricOut[], withLoad: boolean): string {
  const at = key.indexOf(' ');
  const metric = key.slice(at + 1);
  const title = metrics.find((info) => info.metric === metric)?.title ?? nameOwn(metric);
  return withLoad ? `${key.slice(0, at)}: ${title}` : title;
}
