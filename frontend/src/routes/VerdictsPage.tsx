import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { PageHeader, Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import { VerdictList } from '@/features/verdicts/VerdictList';

export function VerdictsPage(): ReactNode {
  const query = api.useQuery('get', '/api/v1/verdicts');
  return (
    <>
      <PageHeader
        title="Verdicts"
        meta="Warnings about results. They are shown next to every result they affect."
      />
      <Loaded query={query}>
        {({ items: verdicts }) => (
          <>
            <Section
              title="Exclude a result from ranking"
              hint="The result is shown in grey, after the others and without a rank. It may not reflect the service at all."
            >
              <VerdictList verdicts={verdicts.filter((verdict) => verdict.excludes_from_ranking)} />
            </Section>
            <Section
              title="Warn only"
              hint="The result keeps its rank. Take the warning into account."
            >
              <VerdictList
                verdicts={verdicts.filter(
                  (verdict) => !verdict.excludes_from_ranking && verdict.verdict !== 'ok',
                )}
              />
            </Section>
            <Section title="No warnings">
              <VerdictList verdicts={verdicts.filter((verdict) => verdict.verdict === 'ok')} />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}
