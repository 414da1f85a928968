import { api } from '@/api/client';
import { Notice } from '@/components/Notice';

/** Shows a notice while the disk of the database is almost full, so that runs are refused. */
export function DatabaseDisk() {
  const shortage = api.useQuery('get', '/api/v1/health').data?.database_disk_shortage ?? null;
  return shortage === null ? null : (
    <Notice title="No new runs are accepted">{shortage} Running trials go on.</Notice>
  );
}
