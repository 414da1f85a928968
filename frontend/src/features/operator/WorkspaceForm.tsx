import { NumberInput, TextInput } from '@mantine/core';
import type { WorkspaceOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { numberOrNull, useDraftForm } from '@/lib/entries';

interface Values {
  name: string;
  max_queued_trials: number | null;
  max_bench_minutes: number | null;
}

interface WorkspaceFormProps {
  /** The workspace to change; none for a new one, which begins with the limits of the installation. */
  workspace?: WorkspaceOut;
  button: string;
  onSend: (values: Values) => Promise<unknown>;
}

const LIMIT = {
  description: 'Empty: the limit of the installation. 0: no limit.',
  min: 0,
  allowDecimal: false,
  thousandSeparator: ',',
};

/** Edits the name and the limits of a workspace. */
export function WorkspaceForm({ workspace, button, onSend }: WorkspaceFormProps) {
  const form = useDraftForm(`workspace.${workspace?.slug ?? ''}`, {
    initialValues: {
      name: workspace?.name ?? '',
      max_queued_trials: workspace?.max_queued_trials ?? '',
      max_bench_minutes: workspace?.max_bench_minutes ?? '',
    },
  });
  return (
    <EntryForm
      form={form}
      button={button}
      disabled={form.values.name.trim() === ''}
      onSend={(values) =>
        onSend({
          name: values.name.trim(),
          max_queued_trials: numberOrNull(values.max_queued_trials),
          max_bench_minutes: numberOrNull(values.max_bench_minutes),
        })
      }
    >
      <TextInput
        label="Name"
        maxLength={200}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {workspace && (
        <>
          <NumberInput
            label="Queued trials"
            {...LIMIT}
            {...form.getInputProps('max_queued_trials')}
          />
          <NumberInput
            label="Bench minutes in 24 hours"
            {...LIMIT}
            {...form.getInputProps('max_bench_minutes')}
          />
        </>
      )}
    </EntryForm>
  );
}
