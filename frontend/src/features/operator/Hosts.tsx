import { Box, Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api } from '@/api/client';
import type { NewHostKeyOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { EntryForm } from '@/components/EntryForm';
import { Section } from '@/components/Page';
import { ShownOnce } from '@/components/ShownOnce';
import { EmptyState, Loaded } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatDateTime } from '@/lib/format';
import { HostKeyTable } from './HostKeyTable';
import { HostTable } from './HostTable';

/**
 * The bench hosts of the installation: operators add, pause, rename, reserve and revoke them, and
 * let them leave.
 */
export function Hosts() {
  const hosts = api.useQuery('get', '/api/v1/hosts');
  const workspaces = api.useQuery('get', '/api/v1/workspaces');
  const keys = api.useQuery('get', '/api/v1/host-keys');
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<NewHostKeyOut | null>(null);
  const add = (
    <Button size="xs" variant="default" onClick={() => setAdds(!adds)}>
      {adds ? 'Close' : 'Add host'}
    </Button>
  );
  const show = (key: NewHostKeyOut) => {
    setMade(key);
    setAdds(false);
  };
  return (
    <Section
      title="Hosts"
      hint="All workspaces share the hosts, unless you reserve a host for some of them."
      actions={add}
    >
      {made && (
        <ShownOnce
          title="Copy the command now. It is not shown again"
          label={`Command for ${made.name}`}
          secret={made.join_command}
          onClose={() => setMade(null)}
        >
          <p className={ui.text}>
            Run it in a clone of Tacho on the new machine. It works once, until{' '}
            {formatDateTime(made.expires_at)}.
          </p>
          <p className={ui.text}>Or, to run its worker as a container:</p>
          <CodeBlock
            label={`Command for ${made.name} as a container`}
            code={made.container_command}
          />
        </ShownOnce>
      )}
      {adds && <HostKeyForm onCreated={show} />}
      <Loaded query={hosts}>
        {({ items: found }) =>
          found.length === 0 ? (
            <EmptyState title="No bench host yet">
              <code>make up</code> makes its own machine a bench host. “Add host” shows a command
              that adds another machine.
            </EmptyState>
          ) : (
            <Loaded query={workspaces}>
              {({ items: known }) => <HostTable hosts={found} workspaces={known} onKey={show} />}
            </Loaded>
          )
        }
      </Loaded>
      <Loaded query={keys}>
        {({ items: waiting }) =>
          waiting.length === 0 ? null : (
            <Box mt="xl">
              <HostKeyTable keys={waiting} />
            </Box>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Creates a key with which a new machine joins as a bench host. */
function HostKeyForm({ onCreated }: { onCreated: (key: NewHostKeyOut) => void }) {
  const create = api.useMutation('post', '/api/v1/host-keys');
  const form = useForm({ initialValues: { name: '' } });
  return (
    <EntryForm
      form={form}
      button="Create key"
      onSend={({ name }) => create.mutateAsync({ body: { name: name.trim() } }).then(onCreated)}
    >
      <TextInput
        label="Name of the host"
        description="Such as “bench-02”. A host that joined before gets new credentials."
        maxLength={63}
        required
        {...form.getInputProps('name')}
      />
    </EntryForm>
  );
}
