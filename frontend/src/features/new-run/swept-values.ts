/** Parses a typed list of values; pure. */
import type { SweptParameter } from '@/api/scenarios';
import { formatBounds } from '@/lib/format';

export interface ReadValues {
  /** Distinct values in ascending order. */
  values: number[];
  /** Why a value was left out; null if none was. */
  fault: string | null;
}

export function readValues(typed: readonly string[], parameter: SweptParameter): ReadValues {
  const { minimum, maximum, unit, most } = parameter;
  const values: number[] = [];
  let fault: string | null = null;
  for (const text of typed) {
    const value = Number(text.trim());
    if (text.trim() === '' || values.includes(value)) continue;
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      const bounds = formatBounds(minimum, maximum, unit);
      fault = `Left out ${text.trim()}: enter whole numbers from ${bounds}.`;
    } else if (values.length === most) {
      fault = `Left out ${text.trim()}: at most ${most} values.`;
    } else values.push(value);
  }
  values.sort((a, b) => a - b);
  return { values, fault: values.length === 0 ? 'Enter at least one value.' : fault };
}
