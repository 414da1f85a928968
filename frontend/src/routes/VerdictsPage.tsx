import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { verdictQueries } from '@/api/verdicts';
import { PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { VerdictList } from '@/features/verdicts/VerdictList';
import { useDocumentTitle } from '@/lib/hooks';

export function VerdictsPage(): ReactNode {
  useDocumentTitle('Verdicts');
  const query = useQuery(verdictQueries.list());
  return (
    <>
      <PageHeader
        title="Verdicts"
        meta="The named doubts a number can carry. They stand beside every number they touch, and are never hidden."
      />
      <Loaded query={query}>
        {(verdicts) => (
          <>
            <Section
              title="Exclude a number from ranking"
              hint="It is shown in grey, after the others and without a place: it may not speak for the service at all."
            >
              <VerdictList verdicts={verdicts.filter((one) => one.excludes_from_ranking)} />
            </Section>
            <Section
              title="Cast doubt"
              hint="The number keeps its place; read it with what is said here."
            >
              <VerdictList
                verdicts={verdicts.filter(
                  (one) => !one.excludes_from_ranking && one.verdict !== 'ok',
                )}
              />
            </Section>
            <Section title="None of these">
              <VerdictList verdicts={verdicts.filter((one) => one.verdict === 'ok')} />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}
