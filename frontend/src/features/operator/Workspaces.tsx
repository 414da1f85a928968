import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '@/api/client';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { WorkspaceForm } from './WorkspaceForm';
import { WorkspaceTable } from './WorkspaceTable';

/** The workspaces of the installation, with a form to create one. */
export function Workspaces() {
  const query = api.useQuery('get', '/api/v1/workspaces');
  const create = api.useMutation('post', '/api/v1/workspaces');
  const [adds, setAdds] = useState(false);
  return (
    <Section
      title="Workspaces"
      hint="Each workspace has its own members, runs, schedules and webhooks."
      actions={
        <Button size="xs" variant="default" onClick={() => setAdds(!adds)}>
          {adds ? 'Close' : 'New workspace'}
        </Button>
      }
    >
      {adds && (
        <WorkspaceForm
          button="Create workspace"
          onSend={async ({ name }) => {
            await create.mutateAsync({ body: { name } });
            setAdds(false);
          }}
        />
      )}
      <Loaded query={query}>{({ items }) => <WorkspaceTable workspaces={items} />}</Loaded>
    </Section>
  );
}
