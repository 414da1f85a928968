import { formatInterval, formatQuantity, formatValues } from '@/lib/format';
import classes from './Quantity.module.css';

interface QuantityProps {
  value: number | null | undefined;
  unit: string;
  /** Whether the true value is at least this one. */
  isBound?: boolean | undefined;
}

/** Shows three significant figures and the unit, with full precision on hover; a bound as `at least 61 µs`. */
export function Quantity({ value, unit, isBound = false }: QuantityProps) {
  if (value === null || value === undefined) return <span className={classes.muted}>–</span>;
  const shown = formatQuantity(value, unit);
  return (
    <span className={classes.quantity} title={`${isBound ? 'at least ' : ''}${value} ${unit}`}>
      {isBound && 'at least '}
      {shown.figure}
      <span className={classes.unit}> {shown.unit}</span>
    </span>
  );
}

interface IntervalProps {
  estimate: number;
  low: number | null;
  high: number | null;
  /** The values, if there are fewer than three. */
  values?: readonly number[] | undefined;
  unit: string;
}

/** Shows `[60, 63]`, or the values if they are too few for an interval. */
export function Interval({ estimate, low, high, values, unit }: IntervalProps) {
  const text = formatInterval(estimate, low, high, unit);
  if (text === null) {
    const [first, ...others] = values ?? [];
    const isPair = first !== undefined && others.length > 0;
    return (
      <span className={classes.muted} title="Fewer than three trials give no interval.">
        {isPair ? formatValues([first, ...others], unit) : 'no interval'}
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
