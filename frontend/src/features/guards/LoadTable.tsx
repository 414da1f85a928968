import type { GuardedLoad, GuardedMetric, MetricOut } from '@/api/schema';
import { named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Quantity } from '@/components/Quantity';
import ui from '@/components/ui.module.css';
import { ChangeAxis, ChangeBar } from './ChangeBar';
import {
  describePossible,
  describeState,
  directionOf,
  formatChange,
  formatChangeInterval,
  formatShare,
  isNumber,
  orderChanges,
  titleOf,
} from './changes';
import { ChangeStateBadge } from './GuardBadge';
import classes from './LoadTable.module.css';

interface LoadTableProps {
  load: GuardedLoad;
  metrics: readonly MetricOut[];
  /** End of the axis, shared by all loads. */
  end: number;
}

/** Lists the metrics of a load, what is worse first. */
export function LoadTable({ load, metrics, end }: LoadTableProps) {
  const unitOf = ({ metric }: GuardedMetric) =>
    metrics.find((info) => info.metric === metric)?.unit ?? '';
  return (
    <DataTable
      label={`Metrics of ${load.load}`}
      layout="cards"
      rows={orderChanges(load)}
      rowKey={(change) => change.metric}
      columns={[
        {
          id: 'metric',
          header: 'Metric',
          isRowHeader: true,
          card: 'title',
          width: '15%',
          cell: (change) => titleOf(change.metric, metrics),
        },
        {
          id: 'base',
          ...named('Base'),
          isNumeric: true,
          width: '9%',
          card: 'foot',
          cell: (change) => <Quantity value={change.base} unit={unitOf(change)} />,
        },
        {
          id: 'head',
          ...named('Head'),
          isNumeric: true,
          width: '9%',
          card: 'foot',
          cell: (change) => <Quantity value={change.head} unit={unitOf(change)} />,
        },
        {
          id: 'change',
          header: 'Change',
          isNumeric: true,
          width: '16%',
          card: 'value',
          cell: (change) => <Change change={change} />,
        },
        {
          id: 'axis',
          header: <ChangeAxis end={end} />,
          label: 'Change on an axis',
          cell: (change) => (
            <>
              <ChangeBar change={change} direction={directionOf(change, metrics)} end={end} />
              <div className={classes.axis}>
                <ChangeAxis end={end} />
              </div>
            </>
          ),
        },
        {
          id: 'limit',
          ...named('Limit'),
          isNumeric: true,
          width: '6%',
          card: 'foot',
          cell: (change) => formatShare(change.limit),
        },
        {
          id: 'state',
          header: 'State',
          width: '23%',
          wraps: true,
          cell: (change) => <State change={change} />,
        },
      ]}
    />
  );
}

/** Shows `+7.9 % [+6.1, +9.8]`. An estimate that is not decided is not published. */
function Change({ change }: { change: GuardedMetric }) {
  if (!isNumber(change.ratio)) return <span className={ui.quiet}>–</span>;
  return (
    <span className={classes.change} title={`head ÷ base: ${change.ratio}`}>
      <strong>{formatChange(change.ratio)}</strong>{' '}
      <span className={classes.interval}>{formatChangeInterval(change)}</span>
    </span>
  );
}

function State({ change }: { change: GuardedMetric }) {
  const possible = describePossible(change);
  return (
    <>
      <ChangeStateBadge state={change.state} text={describeState(change)} />
      {possible !== null && <div className={ui.small}>{possible}</div>}
    </>
  );
}
