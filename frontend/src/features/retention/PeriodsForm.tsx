import { NumberInput } from '@mantine/core';
import type { PeriodsOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { numberOrNull, useDraftForm } from '@/lib/entries';

const DAYS = {
  suffix: ' days',
  min: 1,
  max: 36_500,
  allowDecimal: false,
  allowNegative: false,
};

interface PeriodsFormProps {
  /** The name of the draft that is kept if the session ends. */
  draft: string;
  periods: PeriodsOut;
  /** Explains an empty field. */
  whenEmpty: string;
  onSend: (periods: PeriodsOut) => Promise<unknown>;
}

/** Edits for how many days seconds and logs are kept. */
export function PeriodsForm({ draft, periods, whenEmpty, onSend }: PeriodsFormProps) {
  const form = useDraftForm(draft, {
    initialValues: {
      seconds_days: periods.seconds_days ?? '',
      logs_days: periods.logs_days ?? '',
    },
  });
  return (
    <EntryForm
      form={form}
      button="Save"
      done="Saved."
      onSend={({ seconds_days: seconds, logs_days: logs }) =>
        onSend({ seconds_days: numberOrNull(seconds), logs_days: numberOrNull(logs) })
      }
    >
      <NumberInput
        label="Seconds"
        description={`The values of each second of each trial. Charts stay. ${whenEmpty}`}
        {...DAYS}
        {...form.getInputProps('seconds_days')}
      />
      <NumberInput
        label="Logs"
        description={`Output of builds, services and load generators. ${whenEmpty}`}
        {...DAYS}
        {...form.getInputProps('logs_days')}
      />
    </EntryForm>
  );
}
