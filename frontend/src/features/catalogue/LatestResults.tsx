import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LatestResult } from '@/api/frameworks';
import type { Metric, MetricInfo } from '@/api/metrics';
import { Ago } from '@/components/Ago';
import { CompareChosen } from '@/components/CompareChosen';
import { Quantity } from '@/components/Quantity';
import { Verdicts } from '@/components/VerdictBadge';
import { words } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import classes from './LatestResults.module.css';

const SHOWN: readonly Metric[] = [
  'throughput_rps',
  'latency_p50_ms',
  'latency_p99_ms',
  'cpu_us_per_request',
  'memory_peak_bytes',
  'boot_ms',
  'image_bytes',
];

interface LatestResultsProps {
  results: readonly LatestResult[];
  metrics: readonly MetricInfo[];
  /** Cells ticked to compare. */
  picked: readonly string[];
  onPick: (cell: string) => void;
}

/** Lists the newest result of each scenario and profile, with its verdicts and run. */
export function LatestResults({ results, metrics, picked, onPick }: LatestResultsProps) {
  const titles = new Map(metrics.map(({ metric, title }) => [metric, title]));
  const hosts = new Set(results.map(({ host }) => host));
  const chosen = picked.filter((id) => results.some(({ cell }) => cell.id === id));
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col" aria-label="Select to compare" />
            <th scope="col">Scenario</th>
            {SHOWN.map((metric) => (
              <th key={metric} scope="col" className={classes.number}>
                {titles.get(metric)}
              </th>
            ))}
            <th scope="col">Verdict</th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {results.map(({ run_slug: run, host, at, cell }) => (
            <tr key={cell.id}>
              <td className={classes.choose}>
                <Checkbox
                  aria-label={`Select ${cell.scenario.name}, ${describeLoad(cell)} on ${host} to compare`}
                  checked={chosen.includes(cell.id)}
                  onChange={() => {
                    onPick(cell.id);
                  }}
                />
              </td>
              <th scope="row">
                {cell.scenario.name}
                <div className={classes.quiet}>
                  {words(cell.profile)}: {describeLoad(cell)}
                  {hosts.size > 1 && ` on ${host}`}
                </div>
              </th>
              {SHOWN.map((metric) => {
                const value = cell.summary[metric];
                return (
                  <td key={metric} className={classes.number} data-excluded={cell.excluded}>
                    <Quantity value={value?.estimate} unit={value?.unit ?? ''} />
                  </td>
                );
              })}
              <td>
                <Verdicts verdicts={cell.verdicts} />
              </td>
              <td>
                <Link to="/r/$run" params={{ run }}>
                  <Ago at={at} />
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={classes.actions}>
        <CompareChosen
          cells={chosen}
          label={
            chosen.length === 0 ? 'Tick results to compare' : `Compare ${chosen.length} selected`
          }
        />
      </div>
    </div>
  );
}
