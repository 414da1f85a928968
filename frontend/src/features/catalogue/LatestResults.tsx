import { Box, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LatestResult, Metric, MetricOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { CompareChosen } from '@/components/CompareChosen';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Quantity } from '@/components/Quantity';
import ui from '@/components/ui.module.css';
import { Verdicts } from '@/components/VerdictBadge';
import { words } from '@/lib/format';
import { describeLoad } from '@/lib/load';

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
  metrics: readonly MetricOut[];
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
    <>
      <DataTable
        label="Latest results"
        rows={results}
        rowKey={({ cell }) => cell.id}
        columns={[
          {
            header: null,
            label: 'Select to compare',
            width: '28px',
            cell: ({ host, cell }) => (
              <Checkbox
                aria-label={`Select ${cell.scenario.name}, ${describeLoad(cell)} on ${host} to compare`}
                checked={chosen.includes(cell.id)}
                onChange={() => onPick(cell.id)}
              />
            ),
          },
          {
            header: 'Scenario',
            isRowHeader: true,
            sortBy: ({ cell }) => cell.scenario.name,
            cell: ({ host, cell }) => (
              <>
                {cell.scenario.name}
                <div className={ui.quiet}>
                  {words(cell.profile)}: {describeLoad(cell)}
                  {hosts.size > 1 && ` on ${host}`}
                </div>
              </>
            ),
          },
          ...SHOWN.map((metric): Column<LatestResult> => ({
            id: metric,
            header: titles.get(metric),
            isNumeric: true,
            tone: ({ cell }) => (cell.excluded ? 'muted' : undefined),
            sortBy: ({ cell }) => cell.summary[metric]?.estimate,
            cell: ({ cell }) => {
              const value = cell.summary[metric];
              return <Quantity value={value?.estimate} unit={value?.unit ?? ''} />;
            },
          })),
          { header: 'Verdict', cell: ({ cell }) => <Verdicts verdicts={cell.verdicts} /> },
          {
            header: 'Run',
            sortBy: ({ at }) => Date.parse(at),
            cell: ({ run_slug: run, at }) => (
              <Link to="/r/$run" params={{ run }}>
                <Ago at={at} />
              </Link>
            ),
          },
        ]}
      />
      <Box mt="sm">
        <CompareChosen
          cells={chosen}
          label={
            chosen.length === 0 ? 'Tick results to compare' : `Compare ${chosen.length} selected`
          }
        />
      </Box>
    </>
  );
}
