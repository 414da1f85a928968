import { api } from '@/api/client';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { KeptForEver } from './KeptForEver';
import { PeriodsForm } from './PeriodsForm';

/** How long the installation keeps seconds and logs, with a form for operators. */
export function InstallationRetention() {
  const query = api.useQuery('get', '/api/v1/retention/installation');
  const change = api.useMutation('put', '/api/v1/retention/installation');
  return (
    <Section
      title="Retention"
      hint="Removes old seconds and logs of all workspaces in the background. A workspace can choose fewer days."
    >
      <KeptForEver />
      <Loaded query={query}>
        {(periods) => (
          <PeriodsForm
            draft="retention.installation"
            periods={periods}
            whenEmpty="Empty: kept for ever."
            onSend={(body) => change.mutateAsync({ body })}
          />
        )}
      </Loaded>
    </Section>
  );
}
