import { Box, Button } from '@mantine/core';
import { api, PAGES } from '@/api/client';
import type { DeliveryOut, WebhookOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { CodeBlock } from '@/components/CodeBlock';
import { NextPage } from '@/components/NextPage';
import { OutcomeBadge } from '@/components/OutcomeBadge';
import { ErrorState, Loaded } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatDateTime, formatValue } from '@/lib/format';
import classes from './Webhooks.module.css';

const PAGE_LENGTH = 10;

/** Lists the deliveries of a webhook and the responses, newest first. */
export function DeliveryLog({ webhook }: { webhook: WebhookOut }) {
  const query = api.useInfiniteQuery(
    'get',
    '/api/v1/webhooks/{webhook_id}/deliveries',
    { params: { path: { webhook_id: webhook.id }, query: { limit: PAGE_LENGTH } } },
    PAGES,
  );
  const redeliver = api.useMutation(
    'post',
    '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  );
  return (
    <Box mt="sm">
      <Loaded query={query}>
        {({ pages }) => {
          const deliveries = pages.flatMap((page) => page.items);
          if (deliveries.length === 0) {
            return (
              <p className={ui.quiet}>
                Nothing sent yet. Send a test to check that messages arrive.
              </p>
            );
          }
          return deliveries.map((delivery) => (
            <Row
              key={delivery.id}
              delivery={delivery}
              busy={
                redeliver.isPending && redeliver.variables.params.path.delivery_id === delivery.id
              }
              onRedeliver={
                webhook.enabled && delivery.status !== 'pending'
                  ? () =>
                      redeliver.mutate({
                        params: { path: { webhook_id: webhook.id, delivery_id: delivery.id } },
                      })
                  : undefined
              }
            />
          ));
        }}
      </Loaded>
      {redeliver.error && <ErrorState error={redeliver.error} />}
      <NextPage query={query} label="Show earlier deliveries" />
    </Box>
  );
}

interface RowProps {
  delivery: DeliveryOut;
  busy: boolean;
  onRedeliver: (() => void) | undefined;
}

function Row({ delivery, busy, onRedeliver }: RowProps) {
  const next = delivery.next_attempt_at;
  return (
    <div className={classes.delivery}>
      <OutcomeBadge outcome={delivery.status} />
      <span>{delivery.event}</span>
      <span className={ui.quiet}>
        <Ago at={delivery.created_at} />
        {next !== null && ` · next attempt ${formatDateTime(next)}`}
      </span>
      {onRedeliver && (
        <Button size="compact-xs" variant="default" loading={busy} onClick={onRedeliver}>
          Send again
        </Button>
      )}
      <ol className={classes.attempts}>
        {delivery.attempts.map((attempt) => (
          <li key={attempt.at}>
            {formatDateTime(attempt.at)}:{' '}
            {attempt.status === null ? 'no response' : `HTTP ${String(attempt.status)}`} after{' '}
            {formatValue(attempt.duration_ms, 'ms')}
            {attempt.error !== null && ` · ${attempt.error}`}
            {attempt.excerpt !== '' && (
              <>
                {' '}
                ·{' '}
                <Box component="span" ff="monospace" className="wraps">
                  {attempt.excerpt.slice(0, 200)}
                </Box>
              </>
            )}
          </li>
        ))}
      </ol>
      <details className={classes.attempts}>
        <summary>Message</summary>
        <CodeBlock label={`webhook-id: ${delivery.id}`} code={delivery.body} />
      </details>
    </div>
  );
}
