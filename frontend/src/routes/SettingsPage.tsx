import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError } from '@/api/client';
import { type NewWebhook, webhookQueries } from '@/api/webhooks';
import { CodeBlock } from '@/components/CodeBlock';
import { Notice } from '@/components/Notice';
import { PageHeader, Section } from '@/components/Page';
import { Refusal } from '@/components/Refusal';
import { EmptyState, Loaded } from '@/components/States';
import { WebhookForm } from '@/features/webhooks/WebhookForm';
import { WebhookList } from '@/features/webhooks/WebhookList';
import { useDocumentTitle } from '@/lib/hooks';

export function SettingsPage(): ReactNode {
  useDocumentTitle('Settings');
  return (
    <>
      <PageHeader title="Settings" />
      <Webhooks />
    </>
  );
}

function Webhooks() {
  const query = useQuery(webhookQueries.list());
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<NewWebhook | null>(null);
  const failure = query.data === undefined ? query.error : null;
  const add = (
    <Button
      size="xs"
      variant="default"
      onClick={() => {
        setAdds(!adds);
      }}
    >
      {adds ? 'Close' : 'Add a webhook'}
    </Button>
  );
  return (
    <Section
      title="Webhooks"
      hint="Signed messages to your servers, retried until they are accepted."
      actions={failure ? undefined : add}
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
      {failure instanceof ProblemError && failure.status === 401 ? (
        <Refusal
          error={failure}
          onSignedIn={() => {
            void query.refetch();
          }}
        />
      ) : (
        <Loaded query={query}>
          {(webhooks) =>
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
      )}
    </Section>
  );
}
