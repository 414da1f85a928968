import type { MetricInfo } from '@/api/metrics';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import type { Entry } from './labels';
import classes from './MetricTable.module.css';
import { RatioText } from './RatioText';

interface MetricTableProps {
  entries: readonly Entry[];
  metrics: readonly MetricInfo[];
  /** The one shown above. */
  metric: string;
  onMetric: (metric: string) => void;
}

/** Every metric of every result: estimate, interval, ratio to the baseline, word. */
export function MetricTable({ entries, metrics, metric, onMetric }: MetricTableProps) {
  const known = metrics.filter((one) =>
    entries.some(({ cell }) => cell.summary[one.metric] !== undefined),
  );
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label="All metrics">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {entries.map(({ id, label, cell, pair }) => (
              <th key={id} scope="col">
                <span className={classes.head}>
                  <Marker colour={cell.framework.colour} />
                  <span>{label}</span>
                </span>
                {pair === null && <span className={classes.quiet}>baseline</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {known.map((one) => (
            <tr key={one.metric} data-shown={one.metric === metric}>
              <th scope="row">
                <button
                  type="button"
                  className={classes.metric}
                  aria-pressed={one.metric === metric}
                  title="Show this metric above"
                  onClick={() => {
                    onMetric(one.metric);
                  }}
                >
                  {one.title}
                </button>
                <div className={classes.quiet}>{one.direction} is better</div>
              </th>
              {entries.map((entry) => (
                <Figure key={entry.id} entry={entry} metric={one.metric} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Figure({ entry, metric }: { entry: Entry; metric: string }) {
  const found = entry.cell.summary[metric];
  return (
    <td data-barred={entry.cell.barred}>
      <span className={classes.who} aria-hidden>
        <Marker colour={entry.cell.framework.colour} /> {entry.label}
      </span>
      {found === undefined ? (
        <span className={classes.quiet}>no trial gave it</span>
      ) : (
        <>
          <div className={classes.estimate}>
            <Quantity value={found.estimate} unit={found.unit} />{' '}
            <span className={classes.quiet}>
              <Interval
                estimate={found.estimate}
                low={found.low ?? null}
                high={found.high ?? null}
                unit={found.unit}
              />
            </span>
          </div>
          {entry.pair && <RatioText pair={entry.pair} metric={metric} />}
        </>
      )}
    </td>
  );
}
