import { Button, TextInput } from '@mantine/core';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';
import { type TimingDraft, toCron } from './timing';
import { TimingFields } from './TimingFields';

interface ScheduleFormProps {
  /** The name of the entries that are kept if the session ends. */
  draft: string;
  name: string;
  timing: TimingDraft;
  button: string;
  onSend: (schedule: Timing & { name: string }) => Promise<unknown>;
  onCancel?: () => void;
}

/** Name and time of a schedule. */
export function ScheduleForm(props: ScheduleFormProps) {
  const { draft, name, timing, button, onSend, onCancel } = props;
  const form = useDraftForm(draft, { initialValues: { name, timing } });
  return (
    <EntryForm
      form={form}
      button={button}
      width={760}
      actions={
        onCancel && (
          <Button variant="subtle" color="gray" onClick={onCancel}>
            Cancel
          </Button>
        )
      }
      onSend={(values) =>
        onSend({
          name: values.name.trim(),
          cron: toCron(values.timing),
          time_zone: values.timing.timeZone,
        })
      }
    >
      <TextInput
        label="Name"
        description="Used as the title of its runs, unless the run has a title."
        maxLength={200}
        required
        {...form.getInputProps('name')}
      />
      <TimingFields
        draft={form.values.timing}
        onChange={(next) => form.setFieldValue('timing', next)}
      />
    </EntryForm>
  );
}

interface Timing {
  cron: string;
  time_zone: string;
}
