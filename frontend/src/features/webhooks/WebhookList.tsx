import { Button } from '@mantine/core';
import { useState } from 'react';
import { useChangeWebhook, useDeleteWebhook, useTestWebhook, type Webhook } from '@/api/webhooks';
import { Dialog } from '@/components/Dialog';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { Refusal } from '@/components/Refusal';
import { formatCount } from '@/lib/format';
import { DeliveryLog } from './DeliveryLog';
import classes from './Webhooks.module.css';

/** Lists webhooks with test, switch and log. */
export function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <ul className={classes.list}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const [shows, setShows] = useState(false);
  const [asks, setAsks] = useState(false);
  const test = useTestWebhook(webhook.id);
  const change = useChangeWebhook(webhook.id);
  const remove = useDeleteWebhook(webhook.id);
  const refused = [test, change, remove].find((mutation) => mutation.error !== null);
  const failures = webhook.failures_in_a_row;
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <div>
          <div className={classes.url}>{webhook.url}</div>
          <p className={classes.quiet}>
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
        <div className={classes.actions}>
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
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setAsks(true);
            }}
          >
            Delete…
          </Button>
        </div>
      </div>
      {refused?.error && <Refusal error={refused.error} />}
      {shows && <DeliveryLog webhook={webhook} />}
      <Dialog
        opened={asks}
        onClose={() => {
          setAsks(false);
        }}
        title="Delete this webhook?"
        centered
      >
        <p className={classes.url}>{webhook.url}</p>
        <p>This also deletes its secret and its log.</p>
        <div className={classes.actions}>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => {
              remove.mutate(undefined, {
                onSettled: () => {
                  setAsks(false);
                },
              });
            }}
          >
            Delete webhook
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setAsks(false);
            }}
          >
            Cancel
          </Button>
        </div>
      </Dialog>
    </li>
  );
}
