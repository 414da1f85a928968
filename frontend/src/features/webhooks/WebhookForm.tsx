import { Checkbox, Stack, TextInput } from '@mantine/core';
import { api } from '@/api/client';
import type { NewWebhookOut, WebhookEvent } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';

/** Creates a webhook. `onCreated` receives it with its secret. */
export function WebhookForm({ onCreated }: { onCreated: (webhook: NewWebhookOut) => void }) {
  const create = api.useMutation('post', '/api/v1/webhooks');
  const form = useDraftForm('webhook', {
    initialValues: { url: '', description: '', events: EVENTS.map(({ event }) => event) },
    validate: { events: (events) => events.length === 0 && 'Select at least one event.' },
  });
  return (
    <EntryForm
      form={form}
      button="Create webhook"
      onSend={(values) =>
        create.mutateAsync({ body: { ...values, url: values.url.trim() } }).then(onCreated)
      }
    >
      <TextInput
        label="URL"
        description="Must be public and use https, unless the operator allows the host."
        placeholder="https://example.org/hook"
        required
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="Optional. Shown in the list of webhooks."
        maxLength={200}
        {...form.getInputProps('description')}
      />
      <Checkbox.Group label="Notify when" {...form.getInputProps('events')}>
        <Stack gap="xs" my={4}>
          {EVENTS.map(({ event, meaning }) => (
            <Checkbox key={event} value={event} label={meaning} description={event} />
          ))}
        </Stack>
      </Checkbox.Group>
    </EntryForm>
  );
}

/** The meaning of each event, in the order of the forms. */
const EVENTS: readonly { event: WebhookEvent; meaning: string }[] = [
  { event: 'run.finished', meaning: 'A run finished' },
  { event: 'limit.missed', meaning: 'A scheduled run missed a limit' },
  { event: 'change.confirmed', meaning: 'A confirmation run confirmed a change' },
  { event: 'schedule.missed', meaning: 'A scheduled run has no result' },
];
