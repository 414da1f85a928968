import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreateWorkspace, workspaceQueries } from '@/api/workspaces';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { WorkspaceForm } from './WorkspaceForm';
import { WorkspaceTable } from './WorkspaceTable';

/** The workspaces of the installation, with a form to create one. */
export function Workspaces() {
  const query = useQuery(workspaceQueries.list());
  const create = useCreateWorkspace();
  const [adds, setAdds] = useState(false);
  return (
    <Section
      title="Workspaces"
      hint="Each workspace has its own members, runs, schedules and webhooks."
      actions={
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            setAdds(!adds);
          }}
        >
          {adds ? 'Close' : 'New workspace'}
        </Button>
      }
    >
      {adds && (
        <WorkspaceForm
          button="Create workspace"
          onSend={async ({ name }) => {
            await create.mutateAsync({ name });
            setAdds(false);
          }}
        />
      )}
      <Loaded query={query}>{(workspaces) => <WorkspaceTable workspaces={workspaces} />}</Loaded>
    </Section>
  );
}
