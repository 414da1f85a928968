import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatBounds } from '@/lib/format';

type Rest = Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max' | 'description' | 'suffix'>;

interface WholeNumberInputProps extends Rest {
  value: number;
  min: number;
  max: number;
  unit?: string;
  /** A sentence; the bounds are added to it. */
  description?: string;
  /** Called with whole numbers only. They may be out of bounds; then the field shows an error. */
  onNumber: (value: number) => void;
}

/** Input for a whole number with bounds. Invalid text stays as typed, with an error. */
export function WholeNumberInput(props: WholeNumberInputProps) {
  const { value, onNumber, min, max, unit = '', description = '', error, ...rest } = props;
  // Invalid text, kept until the value changes.
  const [typed, setTyped] = useState<{ text: string; insteadOf: number } | null>(null);
  const text = typed?.insteadOf === value ? typed.text : null;
  return (
    <NumberInput
      {...rest}
      description={`${description} ${formatBounds(min, max, unit)}.`.trimStart()}
      suffix={unit === '' ? '' : ` ${unit}`}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={min < 0}
      thousandSeparator=" "
      value={text ?? value}
      error={error ?? faultOf(text ?? value, { value, min, max, unit })}
      onChange={(next) => {
        if (typeof next === 'number') {
          setTyped(null);
          onNumber(next);
        } else setTyped({ text: next, insteadOf: value });
      }}
    />
  );
}

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
