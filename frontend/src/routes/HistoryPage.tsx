import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Framework, frameworkQueries } from '@/api/frameworks';
import { historyQueries } from '@/api/history';
import { type Host, hostQueries } from '@/api/hosts';
import { type Metric, type MetricInfo, metricQueries } from '@/api/metrics';
import { type Scenario, scenarioQueries } from '@/api/scenarios';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { HistoryView } from '@/features/history/HistoryView';
import { useDocumentTitle } from '@/lib/hooks';
import classes from './HistoryPage.module.css';

const route = getRouteApi('/history');
const DEFAULT_METRIC: Metric = 'cpu_us_per_request';

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
        meta="One framework under one scenario over time; a line joins only what is comparable."
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
  const framework = search.framework ?? frameworks[0]?.slug;
  const scenario = search.scenario ?? scenarios[0]?.slug;
  const metric = metrics.find((one) => one.metric === (search.metric ?? DEFAULT_METRIC));
  const choose = (change: typeof search) =>
    void navigate({ to: '/history', search: { ...search, ...change }, replace: true });

  if (framework === undefined || scenario === undefined || metric === undefined) {
    return <EmptyState title="Nothing to look back on">The catalogue is empty.</EmptyState>;
  }
  return (
    <>
      <div className={classes.choice}>
        <Choice
          label="Framework"
          data={frameworks.map((one) => ({ value: one.slug, label: one.name }))}
          value={framework}
          onChoose={(value) => {
            choose({ framework: value });
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
      <Series framework={framework} scenario={scenario} metric={metric} host={search.host} />
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
  framework: string;
  scenario: string;
  metric: MetricInfo;
  host: string | undefined;
}

function Series({ framework, scenario, metric, host }: SeriesProps) {
  const navigate = useNavigate();
  const query = useQuery(
    historyQueries.one({ framework, scenario, metric: metric.metric, ...(host && { host }) }),
  );
  return (
    <Loaded query={query}>
      {(history) => (
        <HistoryView
          history={history}
          metricTitle={metric.title}
          onOpenRun={(run) => void navigate({ to: '/runs/$run', params: { run } })}
        />
      )}
    </Loaded>
  );
}
