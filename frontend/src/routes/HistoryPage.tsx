import { MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { type Framework, frameworkQueries } from '@/api/frameworks';
import { type HistoryQuery, historyQueries } from '@/api/history';
import { type Host, hostQueries } from '@/api/hosts';
import { type Metric, type MetricInfo, metricQueries } from '@/api/metrics';
import { type Scenario, scenarioQueries } from '@/api/scenarios';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { type HistoryChoice, HistoryView } from '@/features/history/HistoryView';
import { useDocumentTitle } from '@/lib/hooks';
import classes from './HistoryPage.module.css';

const route = getRouteApi('/history');
const DEFAULT_METRIC: Metric = 'cpu_us_per_request';
// What one question to the server may hold.
const MOST_FRAMEWORKS = 8;

export function HistoryPage(): ReactNode {
  useDocumentTitle('History');
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  const metrics = useQuery(metricQueries.list());
  const hosts = useQuery(hostQueries.list());
  return (
    <>
      <PageHeader
        title="History"
        meta="Frameworks under one scenario over time; a line joins only what is comparable."
      />
      <Loaded query={frameworks}>
        {(knownFrameworks) => (
          <Loaded query={scenarios}>
            {(knownScenarios) => (
              <Loaded query={metrics}>
                {(knownMetrics) => (
                  <Chosen
                    frameworks={knownFrameworks}
                    scenarios={knownScenarios}
                    metrics={knownMetrics}
                    hosts={hosts.data ?? []}
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

interface ChosenProps {
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  metrics: readonly MetricInfo[];
  hosts: readonly Host[];
}

function Chosen({ frameworks, scenarios, metrics, hosts }: ChosenProps) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const asked = search.framework?.split(',') ?? frameworks.slice(0, 1).map((one) => one.slug);
  const scenario = search.scenario ?? scenarios[0]?.slug;
  const metric = metrics.find((one) => one.metric === (search.metric ?? DEFAULT_METRIC));
  const choose = (change: Partial<typeof search>) =>
    void navigate({
      to: '/history',
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });

  if (asked.length === 0 || scenario === undefined || metric === undefined) {
    return <EmptyState title="Nothing to look back on">The catalogue is empty.</EmptyState>;
  }
  return (
    <>
      <div className={classes.choice}>
        <MultiSelect
          label="Frameworks"
          data={frameworks.map((one) => ({ value: one.slug, label: one.name }))}
          value={asked}
          maxValues={MOST_FRAMEWORKS}
          searchable
          onChange={(slugs) => {
            if (slugs.length > 0) choose({ framework: slugs.join(',') });
          }}
        />
        <Choice
          label="Scenario"
          data={scenarios.map((one) => ({ value: one.slug, label: one.name }))}
          value={scenario}
          onChoose={(value) => {
            choose({ scenario: value });
          }}
        />
        <Choice
          label="Metric"
          data={metrics.map((one) => ({ value: one.metric, label: one.title }))}
          value={metric.metric}
          onChoose={(value) => {
            choose({ metric: value });
          }}
        />
        <Choice
          label="Host"
          data={[
            { value: '', label: 'all hosts' },
            ...hosts.map((one) => ({ value: one.name, label: one.name })),
          ]}
          value={search.host ?? ''}
          onChoose={(value) => {
            choose({ host: value });
          }}
        />
      </div>
      <Series
        query={{
          framework: asked,
          scenario,
          metric: metric.metric,
          ...(search.host !== undefined && { host: search.host }),
        }}
        metric={metric}
        choice={{
          p: search.p,
          from: search.from,
          to: search.to,
          only: search.only,
          picked: search.picked,
        }}
        onChoose={choose}
      />
    </>
  );
}

interface ChoiceProps {
  label: string;
  data: { value: string; label: string }[];
  value: string;
  onChoose: (value: string) => void;
}

function Choice({ label, data, value, onChoose }: ChoiceProps) {
  return (
    <Select
      label={label}
      data={data}
      value={value}
      allowDeselect={false}
      searchable={data.length > 8}
      onChange={(next) => {
        if (next !== null) onChoose(next);
      }}
    />
  );
}

interface SeriesProps {
  query: HistoryQuery;
  metric: MetricInfo;
  choice: HistoryChoice;
  onChoose: (choice: HistoryChoice) => void;
}

function Series({ query, metric, choice, onChoose }: SeriesProps) {
  const navigate = useNavigate();
  // The same function each time: the chart is drawn anew where it is not.
  const openRun = useCallback(
    (run: string) => void navigate({ to: '/runs/$run', params: { run } }),
    [navigate],
  );
  const answer = useQuery(historyQueries.one(query));
  return (
    <Loaded query={answer}>
      {(history) => (
        <HistoryView
          history={history}
          query={query}
          metricTitle={metric.title}
          choice={choice}
          onChoose={onChoose}
          onOpenRun={openRun}
        />
      )}
    </Loaded>
  );
}
