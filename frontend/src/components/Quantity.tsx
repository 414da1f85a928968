import { formatInterval, formatQuantity } from '@/lib/format';
import classes from './Quantity.module.css';

interface QuantityProps {
  value: number | null | undefined;
  unit: string;
}

/** Shows three significant figures and the unit, with full precision on hover. */
export function Quantity({ value, unit }: QuantityProps) {
  if (value === null || value === undefined) return <span className={classes.muted}>–</span>;
  const shown = formatQuantity(value, unit);
  return (
    <span className={classes.quantity} title={`${value} ${unit}`}>
      {shown.figure}
      <span className={classes.unit}> {shown.unit}</span>
    </span>
  );
}

interface IntervalProps {
  estimate: number;
  low: number | null;
  high: number | null;
  unit: string;
}

/** Shows `[60, 63]`, or why there is no interval. */
export function Interval({ estimate, low, high, unit }: IntervalProps) {
  const text = formatInterval(estimate, low, high, unit);
  if (text === null) {
    return (
      <span className={classes.muted} title="A single trial has no interval.">
        no interval
      </span>
    );
  }
  return (
    <span
      className={classes.muted}
      title={`95 % confidence interval: ${low ?? ''} to ${high ?? ''} ${unit}`}
    >
      {text}
    </span>
  );
}
