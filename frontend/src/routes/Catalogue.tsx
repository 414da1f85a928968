import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { frameworkQueries } from '@/api/frameworks';
import { scenarioQueries } from '@/api/scenarios';
import { PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { FrameworkList } from '@/features/catalogue/FrameworkList';
import { ScenarioList } from '@/features/catalogue/ScenarioList';
import { useDocumentTitle } from '@/lib/hooks';

export function Catalogue(): ReactNode {
  useDocumentTitle('Frameworks');
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  return (
    <>
      <PageHeader
        title="Frameworks"
        meta="What can be measured here. A folder with a manifest and source adds another."
      />
      <Loaded query={frameworks}>{(items) => <FrameworkList frameworks={items} />}</Loaded>
      <Section title="Scenarios" hint="What a service is asked to do.">
        <Loaded query={scenarios}>{(items) => <ScenarioList scenarios={items} />}</Loaded>
      </Section>
    </>
  );
}
