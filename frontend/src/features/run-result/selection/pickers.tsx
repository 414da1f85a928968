import { SegmentedControl, Select } from '@mantine/core';
import type { CellOut, Metric, MetricOut } from '@/api/schema';
import { fadeEdges } from '@/components/fade-edges';
import classes from './pickers.module.css';
import type { Block } from './groups';
import type { ResultSelection } from './selection';

interface PickerProps {
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

interface MetricPickerProps {
  metrics: readonly MetricOut[];
  metric: Metric;
  onSelect: (change: ResultSelection) => void;
}

/** Chooses the metric of the result. */
export function MetricPicker({ metrics, metric, onSelect }: MetricPickerProps) {
  return (
    <Select
      label="Metric"
      className={classes.picker}
      data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
      value={metric}
      allowDeselect={false}
      onChange={(value) => {
        if (value !== null) onSelect({ metric: value });
      }}
    />
  );
}

/** Chooses the baseline of the ratios. Draws nothing for a single framework. */
export function BaselinePicker({
  cells,
  selection,
  onSelect,
}: PickerProps & { cells: readonly CellOut[] }) {
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
      onChange={(baseline) => onSelect({ baseline: baseline ?? '' })}
    />
  );
}

interface BlockPickerProps {
  blocks: readonly Block[];
  value: string;
  onPick: (key: string) => void;
}

const MOST_SEGMENTS = 4;

/** Chooses one of the scenarios or sweeps of a run. */
export function BlockPicker({ blocks, value, onPick }: BlockPickerProps) {
  const data = blocks.map((block) => ({ value: block.key, label: block.label }));
  return (
    <div ref={fadeEdges} className={classes.blocks}>
      {blocks.length <= MOST_SEGMENTS ? (
        <SegmentedControl aria-label="Scenario" data={data} value={value} onChange={onPick} />
      ) : (
        <Select
          aria-label="Scenario"
          data={data}
          value={value}
          allowDeselect={false}
          onChange={(key) => {
            if (key !== null) onPick(key);
          }}
        />
      )}
    </div>
  );
}
