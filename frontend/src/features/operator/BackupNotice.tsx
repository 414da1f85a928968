import { api } from '@/api/client';
import { Notice } from '@/components/Notice';
import { formatDateTime } from '@/lib/format';

/** Shows a notice if the last scheduled backup failed, or if the next one is overdue. */
export function BackupNotice() {
  const backup = api.useQuery('get', '/api/v1/health').data?.backup ?? null;
  if (backup === null || (backup.failed_at === null && !backup.is_overdue)) return null;
  const last =
    backup.succeeded_at === null
      ? 'No backup has succeeded yet.'
      : `The last successful backup ended at ${formatDateTime(backup.succeeded_at)}.`;
  if (backup.is_overdue) {
    return (
      <Notice title="The next backup is overdue">
        {last} Check that the part <code>backups</code> of Tacho runs.
      </Notice>
    );
  }
  return (
    <Notice title="The last backup failed">
      {backup.error} {last} Tacho tries again at {formatDateTime(backup.next_at)}.
    </Notice>
  );
}
