import { Button } from '@mantine/core';
import { useState } from 'react';
import type { MetricInfo } from '@/api/metrics';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import type { Entry } from './labels';
import classes from './MetricTable.module.css';
import { RatioText } from './RatioText';

interface MetricTableProps {
  entries: readonly Entry[];
  metrics: readonly MetricInfo[];
  /** The metric shown above. */
  metric: string;
  onMetric: (metric: string) => void;
}

/** On a phone the other metrics are behind a button. */
const KEY = new Set<string>([
  'throughput_rps',
  'sustained_rps',
  'latency_p50_ms',
  'latency_p99_ms',
  'cpu_us_per_request',
  'memory_peak_bytes',
  'boot_ms',
]);

/** Lists every metric of every result: estimate, interval, ratio to the baseline, word. */
export function MetricTable({ entries, metrics, metric, onMetric }: MetricTableProps) {
  const known = metrics.filter((metric) =>
    entries.some(({ cell }) => cell.summary[metric.metric] !== undefined),
  );
  const [whole, setWhole] = useState(false);
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
          {known.map((item) => (
            <tr
              key={item.metric}
              data-folded={!whole && !KEY.has(item.metric) && item.metric !== metric}
            >
              <th scope="row">
                <button
                  type="button"
                  className={classes.metric}
                  aria-pressed={item.metric === metric}
                  title="Show this metric above"
                  onClick={() => {
                    onMetric(item.metric);
                  }}
                >
                  {item.title}
                </button>
                <div className={classes.quiet}>{item.direction} is better</div>
              </th>
              {entries.map((entry) => (
                <Figure key={entry.id} entry={entry} metric={item.metric} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Button
        className={classes.unfold}
        mt={12}
        size="xs"
        variant="default"
        onClick={() => {
          setWhole(!whole);
        }}
      >
        {whole ? 'Show main metrics' : `Show all ${known.length} metrics`}
      </Button>
    </div>
  );
}

function Figure({ entry, metric }: { entry: Entry; metric: string }) {
  const found = entry.cell.summary[metric];
  return (
    <td data-excluded={entry.cell.excluded}>
      <span className={classes.who} aria-hidden>
        <Marker colour={entry.cell.framework.colour} /> {entry.label}
      </span>
      {found === undefined ? (
        <span className={classes.quiet}>no data</span>
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
          {entry.pair && (
            <RatioText pair={entry.pair} excluded={entry.cell.excluded} metric={metric} />
          )}
        </>
      )}
    </td>
  );
}
