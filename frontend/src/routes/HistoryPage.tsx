import { MultiSelect, Select } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { api } from '@/api/client';
import type { FrameworkOut, MetricOut, ScenarioOut } from '@/api/schema';
import { FoldedFilters } from '@/components/FoldedFilters';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { completeChoice, type SeriesChoice } from '@/features/history/choice';
import { HistoryView } from '@/features/history/HistoryView';
import { formatCount, words } from '@/lib/format';
import { useDocumentTitle } from '@/lib/hooks';
import { describeLoad } from '@/lib/load';
import classes from './HistoryPage.module.css';

const route = getRouteApi('/history');
// The maximum that the server accepts.
const MOST_FRAMEWORKS = 8;
const NEWEST_FEW = 20;

export function HistoryPage(): ReactNode {
  useDocumentTitle('History');
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  const metrics = api.useQuery('get', '/api/v1/metrics');
  return (
    <>
      <PageHeader
        title="History"
        meta="Results of one scenario over time. Lines connect only comparable results."
      />
      <Loaded query={frameworks}>
        {({ items: knownFrameworks }) => (
          <Loaded query={scenarios}>
            {({ items: knownScenarios }) => (
              <Loaded query={metrics}>
                {({ items: knownMetrics }) => (
                  <Chosen
                    frameworks={knownFrameworks}
                    scenarios={knownScenarios}
                    metrics={knownMetrics}
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
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
  metrics: readonly MetricOut[];
}

/** Reads the URL; missing parts come from the newest result. */
function Chosen(props: ChosenProps) {
  const { framework, scenario, host } = route.useSearch();
  const named = framework?.split(',') ?? [];
  const newest = api.useQuery(
    'get',
    '/api/v1/cells',
    { params: { query: { framework: named[0], scenario, host, limit: NEWEST_FEW } } },
    {
      enabled: named.length === 0 || scenario === undefined,
      select: ({ items }) => items.find(({ excluded }) => !excluded) ?? items[0] ?? null,
    },
  );
  if (named.length > 0 && scenario !== undefined) {
    return <Shown {...props} asked={{ frameworks: named, scenario }} />;
  }
  return (
    <Loaded query={newest}>
      {(result) => {
        const asked = completeChoice(
          named,
          scenario,
          result,
          props.frameworks,
          props.scenarios[0]?.slug,
        );
        return asked === null ? (
          <EmptyState title="No history yet">The catalogue is empty.</EmptyState>
        ) : (
          <Shown {...props} asked={asked} />
        );
      }}
    </Loaded>
  );
}

function Shown({ frameworks, scenarios, metrics, asked }: ChosenProps & { asked: SeriesChoice }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { scenario } = asked;
  const query = {
    framework: asked.frameworks,
    scenario,
    ...(search.metric !== undefined && { metric: search.metric }),
    ...(search.load !== undefined && { load: search.load }),
    ...(search.host !== undefined && { host: search.host }),
  };
  const answer = api.useQuery('get', '/api/v1/history', { params: { query: query } });
  const metric = search.metric ?? answer.data?.metric;
  const hosts = new Set([...(answer.data?.hosts ?? []), ...(search.host ? [search.host] : [])]);
  const choose = (change: Partial<typeof search>) =>
    void navigate({
      to: '/history',
      // Keep what is shown when something else changes.
      search: (now) => ({
        framework: asked.frameworks.join(','),
        scenario,
        ...now,
        ...change,
      }),
      replace: true,
      resetScroll: false,
    });
  // A new function would redraw the chart.
  const openRun = useCallback(
    (run: string) => void navigate({ to: '/r/$run', params: { run } }),
    [navigate],
  );
  const loads = answer.data?.loads ?? [];
  const controls = (
    <FoldedFilters
      summary={[
        asked.frameworks.map((slug) => nameOf(frameworks, slug)).join(', '),
        nameOf(scenarios, scenario),
        metrics.find((info) => info.metric === metric)?.title,
        search.host,
      ]}
    >
      <div className={classes.choice}>
        <MultiSelect
          label="Frameworks"
          data={frameworks.map((framework) => ({ value: framework.slug, label: framework.name }))}
          value={asked.frameworks}
          maxValues={MOST_FRAMEWORKS}
          searchable
          onChange={(slugs) => {
            if (slugs.length > 0) choose({ framework: slugs.join(','), load: undefined });
          }}
        />
        <Choice
          label="Scenario"
          data={scenarios.map((scenario) => ({ value: scenario.slug, label: scenario.name }))}
          value={scenario}
          onChoose={(value) => {
            choose({ scenario: value, load: undefined });
          }}
        />
        <Choice
          label="Load"
          data={[
            ...loads.map((load) => ({
              value: load.key,
              label: `${describeLoad(load)} (${formatCount(load.points, 'result')})`,
            })),
            ...(loads.length > 1 ? [{ value: 'all', label: 'All loads' }] : []),
          ]}
          value={answer.data === undefined ? null : (answer.data.load ?? 'all')}
          onChoose={(value) => {
            choose({ load: value });
          }}
        />
        <Choice
          label="Metric"
          data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
          value={metric ?? null}
          onChoose={(value) => {
            choose({ metric: value });
          }}
        />
        <Choice
          label="Host"
          data={[
            { value: '', label: 'All hosts' },
            ...[...hosts].map((name) => ({ value: name, label: name })),
          ]}
          value={search.host ?? ''}
          onChoose={(value) => {
            choose({ host: value, load: undefined });
          }}
        />
      </div>
    </FoldedFilters>
  );
  return (
    <>
      {answer.data === undefined && controls}
      <Loaded query={answer}>
        {(history) => (
          <HistoryView
            history={history}
            controls={controls}
            query={query}
            metricTitle={
              metrics.find((metric) => metric.metric === history.metric)?.title ??
              words(history.metric)
            }
            choice={{
              p: search.p,
              axis: search.axis,
              from: search.from,
              to: search.to,
              only: search.only,
              picked: search.picked,
            }}
            onChoose={choose}
            onOpenRun={openRun}
          />
        )}
      </Loaded>
    </>
  );
}

/** Return the name of an item of the catalogue. */
function nameOf(items: readonly { slug: string; name: string }[], slug: string): string {
  return items.find((item) => item.slug === slug)?.name ?? slug;
}

interface ChoiceProps<Value extends string> {
  label: string;
  data: { value: Value; label: string }[];
  value: Value | null;
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ label, data, value, onChoose }: ChoiceProps<Value>) {
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
