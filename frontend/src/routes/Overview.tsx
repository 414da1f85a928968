import { Button, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQueries } from '@/api/runs';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { HomeState } from './HomeState';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { StoppedParts } from '@/features/hosts/StoppedParts';
import { RunList } from '@/features/runs/RunList';
import { Starters } from '@/features/starters/Starters';
import { useDocumentTitle } from '@/lib/hooks';

const LATEST = 8;

/** The home page: the state of the installation, or suggested runs if there is nothing yet. */
export function Overview(): ReactNode {
  useDocumentTitle('');
  const { data, isFetched } = useInfiniteQuery(runQueries.pages({}, LATEST));
  const isEmpty = data?.pages.every((page) => page.items.length === 0) === true;
  return isEmpty ? <FirstSteps /> : <State isLoading={!isFetched} />;
}

function FirstSteps() {
  return (
    <>
      <PageHeader
        title="Measure microservice frameworks on this hardware"
        meta="Start one of the runs below, or plan your own. Every run gets a permanent link."
      />
      <DatabaseDisk />
      <StoppedParts />
      <VisuallyHidden component="h2">Suggested runs</VisuallyHidden>
      <Starters />
      <HomeState isLoading={false}>
        <LatestRuns />
      </HomeState>
    </>
  );
}

function State({ isLoading }: { isLoading: boolean }) {
  return (
    <>
      <PageHeader title="Overview" />
      <DatabaseDisk />
      <StoppedParts />
      <HomeState isLoading={isLoading}>
        <LatestRuns />
        <Section title="Start a run" hint="Every run gets a permanent link.">
          <Starters />
        </Section>
      </HomeState>
    </>
  );
}

function LatestRuns() {
  return (
    <Section title="Latest runs">
      <RunList
        filter={{}}
        limit={LATEST}
        empty={
          <EmptyState
            title="No runs yet"
            action={
              <Button
                size="xs"
                variant="default"
                renderRoot={(props) => <Link to="/runs/new" {...props} />}
              >
                Plan a run
              </Button>
            }
          >
            Start one of the runs above. First look compares two frameworks in about two minutes. Or
            choose frameworks, scenarios and load yourself. To look around first, load recorded runs
            with <code>make demo</code>.
          </EmptyState>
        }
      />
    </Section>
  );
}
