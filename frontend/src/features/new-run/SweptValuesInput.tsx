import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import type { SweptParameter } from '@/api/scenarios';
import { formatBounds, formatCount } from '@/lib/format';
import classes from './SweptValuesInput.module.css';
import { readValues } from './swept-values';

interface SweptValuesInputProps {
  parameter: SweptParameter;
  values: readonly number[];
  /** Error of the server. */
  problem: string | undefined;
  /** Called with at least one whole number, all within bounds. */
  onValues: (values: number[]) => void;
}

/** Input for the values of a sweep. A comma, a space or Enter ends a value. */
export function SweptValuesInput({ parameter, values, problem, onValues }: SweptValuesInputProps) {
  const [fault, setFault] = useState<string | null>(null);
  const { title, unit, description, minimum, maximum } = parameter;
  return (
    <TagsInput
      className={classes.field}
      label={`${title} (sweep)`}
      description={`${description} One result per value (${formatCount(values.length, 'value')}), ${formatBounds(minimum, maximum, unit)}.`}
      splitChars={[',', ' ', ';']}
      acceptValueOnBlur
      value={values.map(String)}
      error={fault ?? problem}
      onChange={(typed) => {
        const read = readValues(typed, parameter);
        setFault(read.fault);
        if (read.values.length > 0) onValues(read.values);
      }}
    />
  );
}
