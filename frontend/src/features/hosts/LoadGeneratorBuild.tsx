import { api } from '@/api/client';
import { Notice } from '@/components/Notice';
import { formatDuration } from '@/lib/format';

/** Shows a notice while the load generator is being built, on one host or on any. */
export function LoadGeneratorBuild({ host }: { host?: string }) {
  const build = api.useQuery('get', '/api/v1/health').data?.load_generator ?? null;
  if (build === null || (host !== undefined && host !== build.host)) return null;
  const left = build.remaining_seconds;
  return (
    <Notice title="The load generator is still being built">
      {left === null ? '' : `About ${formatDuration(Math.max(left, 1))} left. `}
      Runs on {build.host} are queued, and start when it is ready.
    </Notice>
  );
}
