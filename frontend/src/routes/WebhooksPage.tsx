import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api } from '@/api/client';
import type { NewWebhookOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { CodeBlock } from '@/components/CodeBlock';
import { DenialState } from '@/components/DenialNote';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { WebhookForm } from '@/features/webhooks/WebhookForm';
import { WebhookList } from '@/features/webhooks/WebhookList';
import { useDocumentTitle } from '@/lib/hooks';

/** Webhooks of the workspace. */
export function WebhooksPage(): ReactNode {
  useDocumentTitle('Webhooks');
  const { isAllowed, denial } = useAccess('manage');
  if (denial) return <DenialState denial={denial} action="manage webhooks" />;
  return isAllowed ? <Webhooks /> : <LoadingState />;
}

function Webhooks() {
  const query = api.useQuery('get', '/api/v1/webhooks');
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<NewWebhookOut | null>(null);
  const add = (
    <Button size="xs" variant="default" onClick={() => setAdds(!adds)}>
      {adds ? 'Close' : 'Add a webhook'}
    </Button>
  );
  return (
    <Section
      title="Webhooks"
      hint="Signed messages to your servers, retried until they are accepted."
      actions={add}
    >
      {made && (
        <Notice title="Copy the signing secret now. It is not shown again">
          Use it to verify that a message comes from Tacho (Standard Webhooks).
          <CodeBlock label={made.url} code={made.secret} />
        </Notice>
      )}
      {adds && (
        <WebhookForm
          onCreated={(webhook) => {
            setMade(webhook);
            setAdds(false);
          }}
        />
      )}
      <Loaded query={query}>
        {({ items: webhooks }) =>
          webhooks.length > 0 ? (
            <WebhookList webhooks={webhooks} />
          ) : (
            !adds && (
              <EmptyState title="No webhooks yet" action={add}>
                A webhook can notify a chat, CI or a pager when a run finishes, a change is
                confirmed, or a scheduled run has no result.
              </EmptyState>
            )
          )
        }
      </Loaded>
    </Section>
  );
}
