import { Box } from '@mantine/core';
import { api } from '@/api/client';
import type { PeriodsOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { formatCount } from '@/lib/format';
import { KeptForEver } from './KeptForEver';
import { PeriodsForm } from './PeriodsForm';

/** How long the workspace keeps seconds and logs, with a form for owners. */
export function WorkspaceRetention() {
  const query = api.useQuery('get', '/api/v1/retention');
  const change = api.useMutation('put', '/api/v1/retention');
  const mayChange = useMay('own');
  return (
    <Section
      title="Retention"
      hint="Removes old seconds and logs of the runs of this workspace in the background."
    >
      <KeptForEver />
      <Loaded query={query}>
        {({ installation, workspace, effective }) => (
          <>
            <Box component="p" maw={640} m="0 0 16px">
              This installation keeps {describe(installation)}. This workspace keeps{' '}
              {describe(effective)}.
            </Box>
            {mayChange && (
              <PeriodsForm
                draft="retention.workspace"
                periods={workspace}
                whenEmpty="Empty: as long as the installation."
                onSend={(body) => change.mutateAsync({ body })}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function describe({ seconds_days: seconds, logs_days: logs }: PeriodsOut): string {
  return `seconds ${describeDays(seconds)} and logs ${describeDays(logs)}`;
}

function describeDays(days: number | null): string {
  return days === null ? 'for ever' : `for ${formatCount(days, 'day')}`;
}
