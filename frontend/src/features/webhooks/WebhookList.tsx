import { Box, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { api } from '@/api/client';
import type { WebhookOut } from '@/api/schema';
import { ConfirmButton } from '@/components/ConfirmButton';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { Refusal } from '@/components/Refusal';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import { DeliveryLog } from './DeliveryLog';

/** Lists webhooks with test, switch and log. */
export function WebhookList({ webhooks }: { webhooks: readonly WebhookOut[] }) {
  return (
    <ul className={ui.rows}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  );
}

function Row({ webhook }: { webhook: WebhookOut }) {
  const [shows, setShows] = useState(false);
  const test = api.useMutation('post', '/api/v1/webhooks/{webhook_id}/test');
  const change = api.useMutation('patch', '/api/v1/webhooks/{webhook_id}');
  const remove = api.useMutation('delete', '/api/v1/webhooks/{webhook_id}');
  const refused = [test, change].find((mutation) => mutation.error !== null);
  const failures = webhook.failures_in_a_row;
  return (
    <Box component="li" py="md">
      <Group gap="8px 24px" align="flex-start" justify="space-between">
        <div>
          <Box ff="monospace" className="wraps">
            {webhook.url}
          </Box>
          <p className={ui.quiet}>
            {webhook.description !== '' && `${webhook.description} · `}
            {webhook.events.join(', ')}
          </p>
          <OutcomeBadge outcome={webhook.enabled ? 'enabled' : 'disabled'} />
          {webhook.enabled && failures > 0 && (
            <Box component="p" m="4px 0 0" c="var(--tacho-bad)">
              {formatCount(failures, 'attempt')} in a row failed. See the log.
            </Box>
          )}
          {webhook.disabled_reason !== null && (
            <Box component="p" m="4px 0 0" c="var(--tacho-bad)">
              Disabled by Tacho: {webhook.disabled_reason}
            </Box>
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
              test.mutate({ params: { path: { webhook_id: webhook.id } } });
            }}
          >
            Send a test
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-expanded={shows}
            onClick={() => setShows(!shows)}
          >
            {shows ? 'Hide log' : 'Log'}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() =>
              change.mutate({
                params: { path: { webhook_id: webhook.id } },
                body: { enabled: !webhook.enabled },
              })
            }
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
            request={{ params: { path: { webhook_id: webhook.id } } }}
          >
            <Box ff="monospace" className="wraps">
              {webhook.url}
            </Box>
            <p>This also deletes its secret and its log.</p>
          </ConfirmButton>
        </Group>
      </Group>
      {refused?.error && <Refusal error={refused.error} />}
      {shows && <DeliveryLog webhook={webhook} />}
    </Box>
  );
}
