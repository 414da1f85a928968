import { use } from 'react';
import { Tooltip } from 'recharts';
import { CURSOR } from './axes';
import { Strip } from './Frame';
import { Readout, type ReadoutProps } from './Readout';

interface StripTooltipProps<Row> {
  /** Returns the readout at a row of the chart's data; null while the pointer is elsewhere. */
  read: (row: Row | null) => ReadoutProps;
  /** Whether a line marks the position of the pointer. */
  hasCursor?: boolean;
}

/** Reads the chart at the pointer, into the strip of its frame instead of a box over the lines. */
export function StripTooltip<Row>({ read, hasCursor = true }: StripTooltipProps<Row>) {
  const strip = use(Strip);
  if (strip === null) return null;
  return (
    <Tooltip
      portal={strip}
      cursor={hasCursor && CURSOR}
      isAnimationActive={false}
      wrapperStyle={{ position: 'static', visibility: 'visible' }}
      content={({ active, payload }) => {
        const row = active ? (payload[0]?.payload as Row | undefined) : undefined;
        return <Readout {...read(row ?? null)} />;
      }}
    />
  );
}
