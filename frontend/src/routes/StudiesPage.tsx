import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { ExampleData } from '@/features/studies/ExampleData';
import { StudyList } from '@/features/studies/StudyList';

export function StudiesPage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/studies');
  return (
    <>
      <PageHeader
        title="Studies"
        meta="Published comparisons of microservice frameworks, next to the same measurements on your machine."
      />
      <Loaded query={query} loading={<LoadingState lines={5} height={72} />}>
        {({ items: studies }) =>
          studies.length === 0 ? (
            <EmptyState title="No studies in this catalogue">
              A study is a file in <code>services/studies</code>. The contributor guide describes
              how to add one.
            </EmptyState>
          ) : (
            <StudyList studies={studies} />
          )
        }
      </Loaded>
      <Section title="Example data">
        <ExampleData />
      </Section>
    </>
  );
}
