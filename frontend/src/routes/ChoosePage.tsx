import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { ChoiceOut, FrameworkOut, ScenarioOut } from '@/api/schema';
import { CompareChosen } from '@/components/CompareChosen';
import { ExportMenu } from '@/components/ExportMenu';
import { FoldedFilters } from '@/components/FoldedFilters';
import { PageHeader, Section } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { Words } from '@/components/Words';
import { ChoiceAnswer } from '@/features/choose/ChoiceAnswer';
import { ChoiceForm } from '@/features/choose/ChoiceForm';
import { ChoiceTable } from '@/features/choose/ChoiceTable';
import { type ChoiceSearch, isComplete, split } from '@/features/choose/criteria';
import { Questions } from '@/features/choose/Questions';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/choose');

const FORMATS = [
  ['md', 'Markdown'],
  ['csv', 'CSV: one row per framework and criterion'],
  ['json', 'JSON'],
] as const;

/** Recommends a framework for a kind of work, from the results that there are. */
export function ChoosePage(): ReactNode {
  useDocumentTitle('Choose');
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  return (
    <>
      <PageHeader
        title="Choose a framework"
        meta="One recommendation from valid results that were measured under the same conditions."
      />
      <Loaded query={frameworks}>
        {({ items: all }) => (
          <Loaded query={scenarios}>
            {({ items: work }) => <Chosen frameworks={all} scenarios={work} />}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface ChosenProps {
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
}

function Chosen({ frameworks, scenarios }: ChosenProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isAsked = isComplete(search);
  const query = api.useQuery(
    'get',
    '/api/v1/choice',
    { params: { query: { ...given(search), scenario: search.scenario ?? '' } } },
    { enabled: isAsked, placeholderData: keepPreviousData },
  );
  const found = isAsked ? query.data : undefined;
  const form = (
    <ChoiceForm
      search={search}
      frameworks={frameworks}
      scenarios={scenarios}
      found={found}
      onChange={(change) =>
        void navigate({
          to: '/choose',
          search: (now) => ({ ...now, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
  if (!isAsked) {
    return (
      <>
        {form}
        <Section title="For example">
          <Questions frameworks={frameworks} />
        </Section>
      </>
    );
  }
  const names = new Map(frameworks.map(({ slug, name }) => [slug, name]));
  return (
    <>
      <FoldedFilters
        summary={[
          search.language,
          ...split(search.frameworks).map((slug) => names.get(slug) ?? slug),
          scenarios.find(({ slug }) => slug === search.scenario)?.name,
        ]}
      >
        {form}
      </FoldedFilters>
      <Loaded query={query} loading={<LoadingState lines={8} height={28} />}>
        {(choice) => <Answered choice={choice} search={search} />}
      </Loaded>
    </>
  );
}

/** Return the given parts of a choice. The router also passes on what others added to the URL. */
function given({ frameworks, language, scenario, criteria, load, host }: ChoiceSearch) {
  const all = { frameworks, language, scenario, criteria, load, host };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function Answered({ choice, search }: { choice: ChoiceOut; search: ChoiceSearch }) {
  const query = new URLSearchParams(given(search) as Record<string, string>).toString();
  const cells = [
    ...new Set(choice.rows.flatMap((row) => row.cells.flatMap((cell) => cell.cell_id ?? []))),
  ];
  return (
    <>
      <ChoiceAnswer choice={choice} />
      <Words texts={[choice.headline, ...choice.sentences, ...choice.against, ...choice.missing]} />
      <Section
        title="All that matters"
        hint={choice.host === null ? undefined : `Measured on ${choice.host}.`}
        actions={
          <>
            <CompareChosen cells={cells} label="Compare all" />
            <ExportMenu
              files={FORMATS.map(([format, label]) => [
                `/api/v1/choice/export.${format}?${query}`,
                label,
              ])}
            />
          </>
        }
      >
        <ChoiceTable choice={choice} />
      </Section>
    </>
  );
}
