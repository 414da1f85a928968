import { Group, Select } from '@mantine/core';
import type { ComparisonCharts, ComparisonOut, Metric, MetricOut } from '@/api/schema';
import { Section } from '@/components/Page';
import { Loaded, type ShownQuery } from '@/components/States';
import { Words } from '@/components/Words';
import { words } from '@/lib/format';
import { late } from '@/lib/late';
import { CompareCharts } from './CompareCharts';
import classes from './CompareView.module.css';
import { commonTraits, listEntries } from './labels';
import { MetricTable } from './MetricTable';
import { ResultBars } from './ResultBars';

export interface CompareSelection {
  metric?: Metric;
  /** Axes of the scatter. */
  x?: string;
  y?: string;
  /** Results shown in the charts, separated by commas; empty for all. */
  only?: string;
}

interface CompareViewProps {
  comparison: ComparisonOut;
  charts: ShownQuery<ComparisonCharts>;
  metrics: readonly MetricOut[];
  selection: CompareSelection;
  onSelect: (selection: CompareSelection) => void;
  /** Absent where the selection is fixed. */
  onBaseline?: (cell: string) => void;
  onRemove?: (cell: string) => void;
}

const LateCharts = late(CompareCharts);
const LateTable = late(MetricTable);

const SAME = 1.02;

/** Compares results: summary, ranking by one metric, all metrics and charts. */
export function CompareView({
  comparison,
  charts,
  metrics,
  selection,
  onSelect,
  onBaseline,
  onRemove,
}: CompareViewProps) {
  const entries = listEntries(comparison);
  const has = (name: string) =>
    entries.filter(({ cell }) => cell.summary[name] !== undefined).length;
  const metric = selection.metric ?? comparison.metric;
  const title = metrics.find((candidate) => candidate.metric === metric)?.title ?? words(metric);
  const [headline, ...details] = comparison.sentences[metric] ?? [];
  const common = commonTraits(comparison.cells);
  // At a fixed rate all throughputs are equal, so cost is more informative.
  const rates = entries.flatMap(({ cell }) => cell.summary.throughput_rps?.estimate ?? []);
  const oneRate = rates.length > 0 && Math.max(...rates) <= Math.min(...rates) * SAME;
  const firstKnown = (...names: string[]) => names.find((name) => has(name) > 0) ?? '';
  const x =
    selection.x ??
    (oneRate && has('cpu_us_per_request') > 0
      ? 'cpu_us_per_request'
      : firstKnown('throughput_rps', 'sustained_rps'));
  const y = selection.y ?? firstKnown('latency_p99_ms', 'memory_peak_bytes');
  return (
    <>
      {headline !== undefined && <h2 className={classes.headline}>{headline}</h2>}
      {details.length > 0 && <p className={classes.details}>{details.join(' ')}</p>}
      <Words texts={[...(comparison.sentences[metric] ?? []), title]} />
      <Group gap="8px 16px" align="flex-end" mt="lg" mb="md">
        <Select
          label="Metric"
          className={classes.choice}
          data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
          value={metric}
          allowDeselect={false}
          searchable
          onChange={(value) => {
            if (value !== null) onSelect({ metric: value });
          }}
        />
        {onBaseline && (
          <Select
            label="Baseline"
            className={classes.baseline}
            data={entries.map(({ id, label }) => ({ value: id, label }))}
            value={comparison.baseline}
            allowDeselect={false}
            onChange={(value) => {
              if (value !== null) onBaseline(value);
            }}
          />
        )}
        {common.length > 0 && <p className={classes.common}>All results: {common.join(' · ')}</p>}
      </Group>
      <ResultBars
        entries={entries}
        metric={metric}
        metricTitle={title}
        onBaseline={onBaseline}
        onRemove={onRemove}
      />
      <Section
        title="All metrics"
        hint="Click a metric to show it above. Intervals are not adjusted: expect about 1 in 20 to be wrong."
      >
        <LateTable
          entries={entries}
          metrics={metrics}
          metric={metric}
          onMetric={(next) => onSelect({ metric: next })}
        />
      </Section>
      <Section title="Charts">
        {charts.data === undefined && charts.error ? (
          <Loaded query={charts}>{() => null}</Loaded>
        ) : (
          <LateCharts
            entries={entries}
            charts={charts.data ?? null}
            metrics={metrics}
            x={x}
            y={y}
            only={selection.only ?? ''}
            onOnly={(only) => onSelect({ only })}
            onAxes={(axes) => onSelect(axes)}
          />
        )}
      </Section>
    </>
  );
}
