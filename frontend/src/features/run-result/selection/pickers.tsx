import { Select } from '@mantine/core';
import type { MetricInfo } from '@/api/metrics';
import type { RunCell } from '@/api/runs';
import classes from './pickers.module.css';
import type { ResultSelection } from './selection';

interface PickerProps {
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

type MetricPickerProps = PickerProps & { metrics: readonly MetricInfo[]; metric: string };

/** Chooses the metric of the result. */
export function MetricPicker({ metrics, metric, selection, onSelect }: MetricPickerProps) {
  return (
    <Select
      label="Metric"
      className={classes.picker}
      data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
      value={metric}
      allowDeselect={false}
      onChange={(value) => {
        if (value !== null) onSelect({ ...selection, metric: value });
      }}
    />
  );
}

/** Chooses the baseline of the ratios. Draws nothing for a single framework. */
export function BaselinePicker({
  cells,
  selection,
  onSelect,
}: PickerProps & { cells: readonly RunCell[] }) {
  // Both cells of a confirmation run belong to one framework.
  const names = new Map(cells.map(({ framework }) => [framework.slug, framework.name]));
  if (names.size < 2) return null;
  const named = [...names].map(([value, label]) => ({ value, label }));
  return (
    <Select
      label="Baseline"
      className={classes.picker}
      data={[{ value: '', label: 'Best framework' }, ...named]}
      value={selection.baseline ?? ''}
      allowDeselect={false}
      onChange={(baseline) => {
        onSelect({ ...selection, baseline: baseline ?? '' });
      }}
    />
  );
}
