import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { StudyOut } from '@/api/schema';
import { MetaLine, PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { ClaimTable } from '@/features/studies/ClaimTable';
import { Differences } from '@/features/studies/Differences';
import { partTables } from '@/features/studies/study-results';
import { OrderList } from '@/features/studies/OrderList';
import { studyQuery } from '@/features/studies/query';
import { Reproduce } from '@/features/studies/Reproduce';
import { Reproductions } from '@/features/studies/Reproductions';
import { StudyLead } from '@/features/studies/StudyLead';
import { StudyTableView } from '@/features/studies/StudyTableView';
import { loadsOfStudy } from '@/features/not-measured/loads';
import { NotMeasured } from '@/features/not-measured/NotMeasured';
import { useDocumentTitle } from '@/lib/hooks';
import { Missing } from './missing-lazy';

const route = getRouteApi('/studies/$slug');

export function StudyPage(): ReactNode {
  const { slug } = route.useParams();
  const { run } = route.useSearch();
  const query = useQuery(studyQuery(slug, run));
  useDocumentTitle(query.data?.name ?? slug);
  return (
    <Loaded
      query={query}
      loading={<LoadingState lines={8} height={40} />}
      missing={<Missing noun="study" asked={slug} />}
    >
      {(study) => <Shown study={study} />}
    </Loaded>
  );
}

function Shown({ study }: { study: StudyOut }) {
  const { source } = study;
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const { results, settings } = partTables(study.result_tables);
  const withMeasured = study.shown !== null && study.shown !== undefined;
  return (
    <>
      <PageHeader
        title={study.name}
        meta={
          <MetaLine>
            {study.authors.join(', ')}
            {source.title}
            {study.kind}
            {study.year ?? ''}
            {source.link ? (
              <a href={source.link} rel="noreferrer">
                {source.link.replace('https://', '')}
              </a>
            ) : null}
          </MetaLine>
        }
      />
      <StudyLead study={study} />
      {study.claim_results.length > 0 && (
        <Section
          title="Claims"
          hint={`The study’s claims in our words. At least ${String(study.deciding_trials)} trials and their 95 % intervals decide a claim.`}
        >
          <ClaimTable claims={study.claim_results} />
        </Section>
      )}
      <Differences study={study} />
      <Section
        title={withMeasured ? 'Published and measured here' : 'Published'}
        hint={
          withMeasured
            ? 'Grey: published. Below it: measured here. ×: measured ÷ published. τ and ρ compare the order: 1 = same as published, −1 = reversed.'
            : 'Numbers as published.'
        }
      >
        {results.map((table) => (
          <StudyTableView
            key={table.slug}
            table={table}
            systems={study.systems}
            withMeasured={withMeasured}
          />
        ))}
        <OrderList orders={study.orders} metrics={metrics} />
        <NotMeasured loads={loadsOfStudy(study)} />
      </Section>
      <Section title="Reproduce" hint="One run with everything that can be measured here.">
        <Reproduce study={study} />
      </Section>
      <Section title="Reproductions">
        {study.runs.length === 0 ? (
          <EmptyState title="None yet">Start with the quick variant above.</EmptyState>
        ) : (
          <Reproductions slug={study.slug} runs={study.runs} shown={study.shown?.slug} />
        )}
      </Section>
      {settings.length > 0 && (
        <Section title="Setup of the study" hint={source.host ?? undefined}>
          {settings.map((table) => (
            <StudyTableView
              key={table.slug}
              table={table}
              systems={study.systems}
              withMeasured={false}
            />
          ))}
        </Section>
      )}
    </>
  );
}
