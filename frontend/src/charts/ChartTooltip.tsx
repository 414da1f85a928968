import { Marker } from '@/components/Marker';
import { formatValue } from '@/lib/format';
import classes from './ChartTooltip.module.css';
import type { NamedRange } from './series';

interface ChartTooltipProps {
  heading: string;
  ranges: readonly NamedRange[];
  unit: string;
}

/** Draws the values of a chart at one position; several trials of a framework as a range. */
export function ChartTooltip({ heading, ranges, unit }: ChartTooltipProps) {
  if (ranges.length === 0) return null;
  return (
    <div className={classes.tooltip}>
      <div className={classes.heading}>{heading}</div>
      {ranges.map(({ name, colour, low, high, excluded }) => (
        <div key={name} className={classes.row} data-excluded={excluded}>
          <Marker colour={colour} size={10} />
          <span>
            {name}
            {excluded && ', excluded'}
          </span>
          <span className={classes.value}>
            {formatValue(low, unit)}
            {high !== low && ` – ${formatValue(high, unit)}`}
          </span>
        </div>
      ))}
    </div>
  );
}
