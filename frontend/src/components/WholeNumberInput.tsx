import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

interface WholeNumberInputProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number;
  /** Only whole numbers arrive here; an emptied field waits for its next digit. */
  onNumber: (value: number) => void;
}

/** A bounded whole number that may be empty while it is typed. */
export function WholeNumberInput({ value, onNumber, ...rest }: WholeNumberInputProps) {
  const [emptied, setEmptied] = useState(false);
  return (
    <NumberInput
      {...rest}
      allowDecimal={false}
      thousandSeparator=" "
      value={emptied ? '' : value}
      onChange={(next) => {
        setEmptied(typeof next !== 'number');
        if (typeof next === 'number') onNumber(next);
      }}
      onBlur={() => {
        setEmptied(false);
      }}
    />
  );
}
