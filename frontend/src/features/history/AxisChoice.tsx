import { SegmentedControl } from '@mantine/core';
import type { HistoryAxis } from '@/charts/HistoryChart';

interface AxisChoiceProps {
  axis: HistoryAxis;
  onChoose: (axis: HistoryAxis) => void;
}

/** Selects whether runs are placed by time, or with equal distances. */
export function AxisChoice({ axis, onChoose }: AxisChoiceProps) {
  return (
    <SegmentedControl
      aria-label="Axis"
      size="xs"
      mb={12}
      data={[
        { value: 'time', label: 'By time' },
        { value: 'run', label: 'Run by run' },
      ]}
      value={axis}
      onChange={(value) => {
        onChoose(value === 'run' ? 'run' : 'time');
      }}
    />
  );
}
