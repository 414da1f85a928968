import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { frameworkQueries } from '@/api/frameworks';
import { hostQueries } from '@/api/hosts';
import { scenarioQueries } from '@/api/scenarios';
import { PageHeader } from '@/components/Page';
import { Loaded } from '@/components/States';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { LoadGeneratorBuild } from '@/features/hosts/LoadGeneratorBuild';
import { NewRunForm } from '@/features/new-run/NewRunForm';
import { useDocumentTitle } from '@/lib/hooks';
import { decodePlan, encodePlan } from '@/lib/run-plan';

const route = getRouteApi('/runs/new');

export function NewRun(): ReactNode {
  useDocumentTitle('New run');
  const search = route.useSearch();
  const navigate = useNavigate();
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  const hosts = useQuery(hostQueries.list());
  const go = (next: typeof search) =>
    void navigate({ to: '/runs/new', search: next, replace: true, resetScroll: false });
  return (
    <>
      <PageHeader
        title="New run"
        meta="Start from a question, or choose scenarios and then frameworks. Your selection is saved in this page’s URL."
      />
      <DatabaseDisk />
      <LoadGeneratorBuild />
      <Loaded query={frameworks}>
        {(knownFrameworks) => (
          <Loaded query={scenarios}>
            {(knownScenarios) => (
              <Loaded query={hosts}>
                {(knownHosts) => (
                  <NewRunForm
                    asked={decodePlan(search)}
                    frameworks={knownFrameworks}
                    scenarios={knownScenarios}
                    hosts={knownHosts}
                    filter={search.find ?? ''}
                    onFilter={(find) => {
                      go({ ...search, find });
                    }}
                    onChange={(plan) => {
                      go({ ...encodePlan(plan), find: search.find ?? '' });
                    }}
                    onStarted={({ slug, group }) =>
                      void (group
                        ? navigate({ to: '/g/$group', params: { group: group.slug } })
                        : navigate({ to: '/runs/$run', params: { run: slug } }))
                    }
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
