import { useQuery } from '@tanstack/react-query';
import { healthQueries } from '@/api/health';
import { Notice } from '@/components/Notice';

/** Shows a notice while the disk of the database is almost full, so that runs are refused. */
export function DatabaseDisk() {
  const shortage = useQuery(healthQueries.databaseDisk()).data ?? null;
  return shortage === null ? null : (
    <Notice title="No new runs are accepted">{shortage} Running trials go on.</Notice>
  );
}
