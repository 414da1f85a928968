import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { PageHeader } from '@/components/Page';
import { Loaded } from '@/components/States';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { LoadGeneratorBuild } from '@/features/hosts/LoadGeneratorBuild';
import { NewRunForm } from '@/features/new-run/NewRunForm';
import { decodePlan, encodePlan } from '@/lib/run-plan';

const route = getRouteApi('/runs/new');

export function NewRun(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  const hosts = api.useQuery('get', '/api/v1/hosts');
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
        {({ items: knownFrameworks }) => (
          <Loaded query={scenarios}>
            {({ items: knownScenarios }) => (
              <Loaded query={hosts}>
                {({ items: knownHosts }) => (
                  <NewRunForm
                    asked={decodePlan(search)}
                    frameworks={knownFrameworks}
                    scenarios={knownScenarios}
                    hosts={knownHosts}
                    filter={search.find ?? ''}
                    onFilter={(find) => go({ ...search, find })}
                    onChange={(plan) => go({ ...encodePlan(plan), find: search.find ?? '' })}
                    onStarted={({ slug, group }) =>
                      void (group
                        ? navigate({ to: '/g/$group', params: { group: group.slug } })
                        : navigate({ to: '/r/$run', params: { run: slug } }))
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
