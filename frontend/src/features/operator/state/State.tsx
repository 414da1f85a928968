import { Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { InstallationOut } from '@/api/schema';
import { Facts } from '@/components/Facts';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { formatValue } from '@/lib/format';
import { Backups } from './Backups';
import { DiskTable } from './DiskTable';
import { FaultTable } from './FaultTable';
import { Findings } from './Findings';
import { HostWorkTable } from './HostWorkTable';
import { PartTable } from './PartTable';

/** The state of the installation: what needs an operator, then parts, hosts, disks and faults. */
export function State() {
  const query = api.useQuery('get', '/api/v1/installation');
  return <Loaded query={query}>{(state) => <Sections state={state} />}</Loaded>;
}

function Sections({ state }: { state: InstallationOut }) {
  return (
    <>
      <Section title="What to do" hint="Checked every ten seconds.">
        <Findings findings={state.findings} />
      </Section>
      <Section title="Parts and versions">
        <Stack gap="md">
          <Versions state={state} />
          <PartTable parts={state.parts} />
        </Stack>
      </Section>
      <Section title="Hosts and queue" actions={<Link to="/queue">Queue</Link>}>
        <Stack gap="md">
          <HostWorkTable hosts={state.hosts} />
          <Backlog state={state} />
        </Stack>
      </Section>
      <Section
        title="Disks"
        hint="Disks of the machine of the API, and of the bench hosts at their last heartbeat."
        actions={<Link to="/operator/retention">Retention</Link>}
      >
        <Stack gap="md">
          <DiskTable disks={state.disks} hosts={state.hosts} />
          <Facts facts={[['Size of the database', formatValue(state.database_bytes, 'B')]]} />
        </Stack>
      </Section>
      <Section title="Backups">
        <Backups />
      </Section>
      <Section
        title="Recent faults"
        hint="Failed trials of the newest failed runs of all workspaces."
      >
        <FaultTable faults={state.faults} />
      </Section>
    </>
  );
}

function Versions({ state: { versions, database, broker } }: { state: InstallationOut }) {
  const shown = (version: string | null, isUp: boolean) =>
    isUp ? (version ?? 'unknown') : 'does not answer';
  return (
    <Facts
      facts={[
        ['Tacho', versions.tacho],
        ['Statistics', String(versions.statistics)],
        ['Schema', versions.schema_revision],
        ['PostgreSQL', shown(versions.postgresql, database === 'ok')],
        ['Redis', shown(versions.redis, broker === 'ok')],
      ]}
    />
  );
}

function Backlog({ state: { backlog } }: { state: InstallationOut }) {
  if (backlog === null) return null;
  return (
    <Facts
      facts={[
        ['Ended runs to finalize', String(backlog.unfinalized_runs)],
        ['Messages to send', String(backlog.due_messages)],
        ['Scheduled runs missed in 24 h', String(backlog.missed_scheduled_runs)],
        ['Runs with rows to delete', String(backlog.removals)],
      ]}
    />
  );
}
