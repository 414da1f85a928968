import { useQuery } from '@tanstack/react-query';
import { retentionQueries, useChangeInstallationRetention } from '@/api/retention';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { KeptForEver } from './KeptForEver';
import { PeriodsForm } from './PeriodsForm';

/** How long the installation keeps seconds and logs, with a form for operators. */
export function InstallationRetention() {
  const query = useQuery(retentionQueries.installation());
  const change = useChangeInstallationRetention();
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
            onSend={(next) => change.mutateAsync(next)}
          />
        )}
      </Loaded>
    </Section>
  );
}
