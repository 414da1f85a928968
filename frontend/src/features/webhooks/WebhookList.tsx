import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useChangeWebhook, useDeleteWebhook, useTestWebhook, type Webhook } from '@/api/webhooks';
import { ConfirmButton } from '@/components/ConfirmButton';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { Refusal } from '@/components/Refusal';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import { DeliveryLog } from './DeliveryLog';
import classes from './Webhooks.module.css';

/** Lists webhooks with test, switch and log. */
export function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <ul className={ui.rows}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const [shows, setShows] = useState(false);
  const test = useTestWebhook(webhook.id);
  const change = useChangeWebhook(webhook.id);
  const remove = useDeleteWebhook(webhook.id);
  const refused = [test, change].find((mutation) => mutation.error !== null);
  const failures = webhook.failures_in_a_row;
  return (
    <li className={classes.row}>
      <Group gap="8px 24px" align="flex-start" justify="space-between">
        <div>
          <div className={classes.url}>{webhook.url}</div>
          <p className={ui.quiet}>
            {webhook.description !== '' && `${webhook.description} · `}
            {webhook.events.join(', ')}
          </p>
          <OutcomeBadge outcome={webhook.enabled ? 'enabled' : 'disabled'} />
          {webhook.enabled && failures > 0 && (
            <p className={classes.bad}>
              {formatCount(failures, 'attempt')} in a row failed. See the log.
            </p>
          )}
          {webhook.disabled_reason !== null && (
            <p className={classes.bad}>Disabled by Tacho: {webhook.disabled_reason}</p>
          )}
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={!webhook.enabled}
            loading={test.isPending}
            onClick={() => {
              setShows(true);
              test.mutate(undefined);
            }}
          >
            Send a test
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-expanded={shows}
            onClick={() => {
              setShows(!shows);
            }}
          >
            {shows ? 'Hide log' : 'Log'}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => {
              change.mutate({ enabled: !webhook.enabled });
            }}
          >
            {webhook.enabled ? 'Disable' : 'Enable'}
          </Button>
          <ConfirmButton
            size="xs"
            label="Delete…"
            name={`Delete ${webhook.url}…`}
            title="Delete this webhook?"
            action="Delete webhook"
            sending={remove}
            onConfirm={(close) => {
              remove.mutate(undefined, { onSuccess: close });
            }}
          >
            <div className={classes.url}>{webhook.url}</div>
            <p>This also deletes its secret and its log.</p>
          </ConfirmButton>
        </Group>
      </Group>
      {refused?.error && <Refusal error={refused.error} />}
      {shows && <DeliveryLog webhook={webhook} />}
    </li>
  );
}
