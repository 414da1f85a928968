import { Button, Checkbox, TextInput } from '@mantine/core';
import { ProblemError } from '@/api/client';
import { EVENTS, type NewWebhook, useCreateWebhook, type WebhookEvent } from '@/api/webhooks';
import { Refusal } from '@/components/Refusal';
import { useDraft } from '@/lib/drafts';
import classes from './Webhooks.module.css';

/** Creates a webhook. `onCreated` receives it with its secret. */
export function WebhookForm({ onCreated }: { onCreated: (webhook: NewWebhook) => void }) {
  const create = useCreateWebhook();
  const [url, setUrl] = useDraft('webhook.url', '');
  const [description, setDescription] = useDraft('webhook.description', '');
  const [events, setEvents] = useDraft<WebhookEvent[]>(
    'webhook.events',
    EVENTS.map(({ event }) => event),
  );
  const problems = create.error instanceof ProblemError ? create.error.problems : [];
  const fault = (field: string) => problems.find((problem) => problem.field === field)?.detail;
  const submit = () => {
    create.mutate({ url: url.trim(), description, events }, { onSuccess: onCreated });
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextInput
        className={classes.wide}
        label="URL"
        description="Must be public and use https, unless the operator allows the host."
        placeholder="https://example.org/hook"
        required
        value={url}
        error={fault('url') && `It ${fault('url') ?? ''}`}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
        }}
      />
      <TextInput
        className={classes.wide}
        label="Description"
        description="Optional. Shown in the list of webhooks."
        maxLength={200}
        value={description}
        onChange={(event) => {
          setDescription(event.currentTarget.value);
        }}
      />
      <Checkbox.Group
        label="Notify when"
        value={events}
        error={events.length === 0 && 'Select at least one event.'}
        onChange={(chosen) => {
          setEvents(chosen);
        }}
      >
        <div className={classes.choices}>
          {EVENTS.map(({ event, meaning }) => (
            <Checkbox key={event} value={event} label={meaning} description={event} />
          ))}
        </div>
      </Checkbox.Group>
      {create.error && fault('url') === undefined && <Refusal error={create.error} />}
      <Button type="submit" loading={create.isPending} disabled={events.length === 0}>
        Create webhook
      </Button>
    </form>
  );
}
