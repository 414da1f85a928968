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
        meta="Start one of the runs below, or plan your own. Every run gets a permanent link."
      />
      <StoppedParts />
      <Starters />
      <Section title="Hosts">
        <HostList />
      </Section>
      <ConfirmedChanges />
      <Section title="Latest runs">
        <RunList
          filter={{}}
          limit={15}
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
              Start one of the runs above. First look compares two frameworks in about two minutes.
              Or choose frameworks, scenarios and load yourself.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
