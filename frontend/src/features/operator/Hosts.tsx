import { useQuery } from '@tanstack/react-query';
import { hostQueries } from '@/api/hosts';
import { workspaceQueries } from '@/api/workspaces';
import { Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { HostTable } from './HostTable';

/** The bench hosts of the installation, with the workspaces that may use them. */
export function Hosts() {
  const hosts = useQuery(hostQueries.list());
  const workspaces = useQuery(workspaceQueries.list());
  return (
    <Section
      title="Hosts"
      hint="All workspaces share the hosts, unless you reserve a host for some of them."
    >
      <Loaded query={hosts}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState title="No bench host yet">
              A worker registers its machine when it starts. Start one with `make up`.
            </EmptyState>
          ) : (
            <Loaded query={workspaces}>
              {(known) => <HostTable hosts={found} workspaces={known} />}
            </Loaded>
          )
        }
      </Loaded>
    </Section>
  );
}
