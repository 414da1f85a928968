import { Text } from '@mantine/core';
import { api } from '@/api/client';
import { CodeBlock } from '@/components/CodeBlock';
import { Facts } from '@/components/Facts';
import { formatDateTime } from '@/lib/format';

/** Shows the scheduled backups, or how to make backups if there are none. */
export function Backups() {
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
