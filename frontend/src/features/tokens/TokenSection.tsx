import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '@/api/client';
import type { NewTokenOut, TokenOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { Section } from '@/components/Page';
import { ShownOnce } from '@/components/ShownOnce';
import { EmptyState, Loaded } from '@/components/States';
import { TokenForm } from './TokenForm';
import { TokenTable } from './TokenTable';

interface TokenSectionProps {
  owner: TokenOut['owner'];
  title: string;
  hint: string;
}

/** The access tokens of a person or a workspace, with a form to create one. */
export function TokenSection({ owner, title, hint }: TokenSectionProps) {
  const query = api.useQuery('get', '/api/v1/tokens');
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<NewTokenOut | null>(null);
  const add = (
    <Button size="xs" variant="default" onClick={() => setAdds(!adds)}>
      {adds ? 'Close' : 'New token'}
    </Button>
  );
  return (
    <Section title={title} hint={hint} actions={add}>
      {made && (
        <ShownOnce
          title="Copy the token now. It is not shown again"
          label={made.name}
          secret={made.token}
          onClose={() => setMade(null)}
        >
          <CodeBlock label="Example" code={example(made.token)} />
        </ShownOnce>
      )}
      {adds && (
        <TokenForm
          owner={owner}
          onCreated={(token) => {
            setMade(token);
            setAdds(false);
          }}
        />
      )}
      <Loaded query={query}>
        {({ items }) => {
          const own = items.filter((token) => token.owner === owner);
          if (own.length > 0) return <TokenTable label={title} tokens={own} />;
          if (adds || made !== null) return null;
          return (
            <EmptyState title="No tokens yet" action={add}>
              Scripts and the command line use a token instead of a password. Set TACHO_TOKEN to it,
              or send it in the header Authorization.
            </EmptyState>
          );
        }}
      </Loaded>
    </Section>
  );
}

function example(token: string): string {
  return `curl -H "Authorization: Bearer ${token}" \\\n  ${window.location.origin}/api/v1/runs`;
}
