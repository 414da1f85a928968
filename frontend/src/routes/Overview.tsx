import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { ConfirmedChanges } from '@/features/changes/ConfirmedChanges';
import { HostList } from '@/features/hosts/HostList';
import { StoppedParts } from '@/features/hosts/StoppedParts';
import { RunList } from '@/features/runs/RunList';
import { Starters } from '@/features/starters/Starters';
import { useDocumentTitle } from '@/lib/hooks';

export function Overview(): ReactNode {
  useDocumentTitle('');
  return (
    <>
      <PageHeader
        title="Measure microservice frameworks on this hardware"
        meta="Press Run on a starter, or plan your own. Each run keeps a link to its result."
      />
      <StoppedParts />
      <Starters />
      <Section title="Hosts now">
        <HostList />
      </Section>
      <ConfirmedChanges />
      <Section title="Latest runs">
        <RunList
          filter={{}}
          limit={15}
          empty={
            <EmptyState
              title="No run yet"
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
              Press Run on a starter above: the first look takes about two minutes and compares two
              frameworks. Or choose frameworks, scenarios and load yourself.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
