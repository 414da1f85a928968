import { Select } from '@mantine/core';
import type { Parameter } from '@/api/scenarios';
import { WholeNumberInput } from '@/components/WholeNumberInput';

interface ParameterInputProps {
  parameter: Omit<Parameter, 'default'>;
  value: number;
  error?: string | undefined;
  onNumber: (value: number) => void;
}

/** Input for a parameter: a list of its names, or a whole number. */
export function ParameterInput({ parameter, value, error, onNumber }: ParameterInputProps) {
  const { title, description, unit, minimum, maximum, names } = parameter;
  if (names === undefined) {
    return (
      <WholeNumberInput
        label={title}
        description={description}
        unit={unit}
        min={minimum}
        max={maximum}
        value={value}
        error={error}
        onNumber={onNumber}
      />
    );
  }
  return (
    <Select
      label={title}
      description={description}
      data={names.map((name, place) => ({ value: String(minimum + place), label: name }))}
      value={String(value)}
      error={error}
      allowDeselect={false}
      onChange={(chosen) => {
        if (chosen !== null) onNumber(Number(chosen));
      }}
    />
  );
}
