import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatBounds } from '@/lib/format';
import { faultOf } from '@/lib/whole-number';

type Rest = Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max' | 'description' | 'suffix'>;

interface WholeNumberInputProps extends Rest {
  value: number;
  min: number;
  max: number;
  unit?: string;
  /** A sentence; the bounds are told after it. */
  description?: string;
  /** Only whole numbers arrive here, also such as are out of bounds: the field says so. */
  onNumber: (value: number) => void;
}

/** A whole number with its bounds; what it cannot take stays as it was typed, and is said. */
export function WholeNumberInput(props: WholeNumberInputProps) {
  const { value, onNumber, min, max, unit = '', description = '', error, ...rest } = props;
  // What was typed and is no whole number, as long as the number stays that it did not replace.
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
