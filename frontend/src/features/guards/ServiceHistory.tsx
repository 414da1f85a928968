import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '@/api/client';
import type { CommitChangeOut, CommitPointOut, MetricOut, ServiceHistoryOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { type Column, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { FoldedSection } from '@/components/FoldedSection';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import {
  describeDirections,
  formatChange,
  formatChangeInterval,
  formatShare,
  isNumber,
  titleOf,
} from './changes';
import { CommitStep } from './GuardBadge';
import { serviceHistoryQuery } from './query';
import classes from './ServiceHistory.module.css';

/** Shows how the commits of a service compare with a reference, newest first. */
export function ServiceHistory({ service }: { service: string }) {
  const { data } = useQuery(serviceHistoryQuery(service));
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const [newest, ...earlier] = data?.items ?? [];
  if (newest === undefined) return null;
  return (
    <>
      <Section title={titleOfHistory(newest)} hint={<Hint history={newest} metrics={metrics} />}>
        <LoadTables history={newest} metrics={metrics} />
      </Section>
      {earlier.map((history) => (
        <FoldedSection
          key={anchorOf(history)}
          anchor={anchorOf(history)}
          title={titleOfHistory(history)}
          hint={`On ${placeOf(history)}.`}
        >
          <p className={classes.hint}>
            <Hint history={history} metrics={metrics} />
          </p>
          <LoadTables history={history} metrics={metrics} />
        </FoldedSection>
      ))}
    </>
  );
}

interface HistoryProps {
  history: ServiceHistoryOut;
  metrics: readonly MetricOut[];
}

function Hint({ history, metrics }: HistoryProps) {
  const reference = labelOf(history);
  const changes = history.points.flatMap((point) => point.changes.map(({ change }) => change));
  return (
    <>
      Each value is the change from {reference} to the commit: {formatChange(1.05)} is{' '}
      {formatShare(0.05)} more than in {reference}. {describeDirections(changes, metrics)} Both
      versions were measured in turn on {placeOf(history)}.
    </>
  );
}

function LoadTables({ history, metrics }: HistoryProps) {
  const loads = new Set(history.points.flatMap(({ changes }) => changes.map(({ load }) => load)));
  return (
    <>
      {[...loads].map((load) => (
        <div key={load} className={classes.load}>
          <h3 className={classes.title}>Load: {load}</h3>
          <CommitTable load={load} history={history} metrics={metrics} />
        </div>
      ))}
      <p className={classes.caption}>
        <em>Worse</em> and <em>better</em> compare a commit with the commit that was measured
        before. They are confirmed if a guard of these two commits finds the same. In brackets: the
        change is not decided, and may have any value of this range.{' '}
        <Link to="/docs/$" params={{ _splat: 'methodology/guard' }}>
          How a guard decides
        </Link>
      </p>
    </>
  );
}

const NARROW = '(max-width: 48em)';
const FEW = 20;

/** Lists the commits with the metrics of a load. */
function CommitTable({ load, history, metrics }: HistoryProps & { load: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const { points } = history;
  const names = new Set(
    points.flatMap(({ changes }) =>
      changes.filter((change) => change.load === load).map(({ change }) => change.metric),
    ),
  );
  return (
    <>
      <DataTable
        label={`Commits since ${labelOf(history)}, ${load}`}
        layout={isNarrow ? 'cards' : 'scroll'}
        hasFixedColumn={!isNarrow}
        rows={[...points].reverse()}
        rowKey={({ slug }) => slug}
        limit={isWhole ? points.length : FEW}
        columns={[
          {
            id: 'commit',
            header: 'Commit',
            isRowHeader: true,
            wraps: true,
            width: '40%',
            cell: (point) => <Commit point={point} />,
          },
          ...[...names].map((metric): Column<CommitPointOut> => ({
            id: metric,
            ...named(titleOf(metric, metrics)),
            isNumeric: true,
            card: 'foot',
            cell: ({ changes }) => {
              const found = changes.find(
                (change) => change.load === load && change.change.metric === metric,
              );
              return found === undefined ? '–' : <CommitChange found={found} />;
            },
          })),
        ]}
      />
      {!isWhole && points.length > FEW && (
        <Button mt={12} size="xs" variant="default" onClick={() => setIsWhole(true)}>
          Show all {points.length} commits
        </Button>
      )}
    </>
  );
}

const SHOWN_CHARACTERS = 10;

function Commit({ point: { slug, head, measured_at: at } }: { point: CommitPointOut }) {
  return (
    <div className={classes.commit}>
      <Link to="/guards/$slug" params={{ slug }} className={ui.link}>
        {head.title || head.name}
      </Link>
      <div className={ui.small}>
        <code title={head.commit ?? undefined}>{head.commit?.slice(0, SHOWN_CHARACTERS)}</code>,
        measured <Ago at={at} />
      </div>
    </div>
  );
}

/** Shows `+2.1 %`, or the interval of a change that is not decided, and a step. */
function CommitChange({ found: { change, step, confirmed_by: slug } }: { found: CommitChangeOut }) {
  const interval = formatChangeInterval(change);
  return (
    <>
      {isNumber(change.ratio) ? (
        <span title={interval ?? undefined}>{formatChange(change.ratio)}</span>
      ) : (
        <span className={ui.quiet}>{interval ?? 'unknown'}</span>
      )}
      {step && (
        <div className={classes.step}>
          <CommitStep step={step} isConfirmed={slug !== null} />
          {slug === null ? (
            <span className={ui.small}>not confirmed</span>
          ) : (
            <Link to="/guards/$slug" params={{ slug }} className={classes.confirmed}>
              confirmed
            </Link>
          )}
        </div>
      )}
    </>
  );
}

function titleOfHistory(history: ServiceHistoryOut): string {
  return `History since ${labelOf(history)}`;
}

function placeOf({ host, runtime }: ServiceHistoryOut): string {
  return `${host} (${runtime})`;
}

function labelOf({ reference: { name, commit } }: ServiceHistoryOut): string {
  return commit?.startsWith(name) ? name.slice(0, SHOWN_CHARACTERS) : name;
}

function anchorOf({ points }: ServiceHistoryOut): string {
  return `history-${points[0]?.slug ?? ''}`;
}
