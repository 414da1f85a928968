import { Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconExclamationCircle,
  IconInfoCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { InstallationOut, FindingOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { Facts } from '@/components/Facts';
import { IconBadge } from '@/components/IconBadge';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { formatValue, formatDateTime, words } from '@/lib/format';
import { DiskTable } from './DiskTable';
import { FaultTable } from './FaultTable';
import { HostWorkTable } from './HostWorkTable';
import { PartTable } from './PartTable';
import classes from './State.module.css';

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

/** Shows the scheduled backups, or how to make backups if there are none. */
function Backups() {
  const backup = api.useQuery('get', '/api/v1/health').data?.backup;
  if (backup === undefined) return null;
  if (backup === null) {
    return (
      <>
        <Text c="dimmed" my="md">
          No scheduled backup was made yet. Set TACHO_BACKUP_FOLDER to make one every day, or run
          this command.
        </Text>
        <CodeBlock label="Command for a backup" code="tacho backup tacho.backup" />
      </>
    );
  }
  return (
    <Facts
      facts={[
        [
          'Last backup',
          backup.succeeded_at === null ? 'none' : formatDateTime(backup.succeeded_at),
        ],
        ['Next backup', formatDateTime(backup.next_at)],
        ['Last failure', backup.failed_at === null ? null : formatDateTime(backup.failed_at)],
        ['Reason', backup.error],
      ]}
    />
  );
}

const LOOKS = {
  critical: { icon: IconExclamationCircle, tone: 'bad' },
  warning: { icon: IconAlertTriangle, tone: 'warn' },
  info: { icon: IconInfoCircle, tone: 'accent' },
} as const;

/** Lists what is wrong, and what to do about each. */
function Findings({ findings }: { findings: readonly FindingOut[] }) {
  if (findings.length === 0) {
    return <IconBadge look={{ icon: IconCheck, tone: 'good' }} text="Nothing to do" />;
  }
  return (
    <Stack component="ul" gap="sm" aria-label="What to do">
      {findings.map((finding) => (
        <li key={`${finding.alert} ${finding.summary}`} className={classes.finding}>
          <IconBadge look={LOOKS[finding.severity]} text={words(finding.severity)} />
          <div>
            <strong>{finding.summary}.</strong> {finding.action}{' '}
            {finding.host !== null && (
              <Link to="/hosts/$name" params={{ name: finding.host }}>
                About this host
              </Link>
            )}
          </div>
        </li>
      ))}
    </Stack>
  );
}
