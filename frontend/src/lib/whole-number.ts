/** Checks a number as it was typed; pure. */
import { formatBounds } from './format';

interface Bounded {
  /** The value that stays if no number was typed. */
  value: number;
  min: number;
  max: number;
  unit: string;
}

/** Return the error, or null. */
export function faultOf(typed: string | number, { value, min, max, unit }: Bounded): string | null {
  if (typeof typed === 'string') {
    return `Enter a whole number from ${formatBounds(min, max, unit)}. The value is still ${String(value)}.`;
  }
  if (typed >= min && typed <= max) return null;
  return `Enter a whole number from ${formatBounds(min, max, unit)}.`;
}
