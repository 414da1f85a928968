import { MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { api } from '@/api/client';
import { FoldedFilters } from '@/components/FoldedFilters';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import {
  completeFromCatalogue,
  completeFromResult,
  type SeriesChoice,
} from '@/features/history/choice';
import { HistoryView } from '@/features/history/HistoryView';
import {
  historyQuery,
  type HistorySearch,
  isComplete,
  newestQuery,
} from '@/features/history/query';
import { formatCount, words } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import classes from './HistoryPage.module.css';

const route = getRouteApi('/history');
// The maximum that the server accepts.
const MOST_FRAMEWORKS = 8;

export function HistoryPage(): ReactNode {
  return (
    <>
      <PageHeader
        title="History"
        meta="Results of one scenario over time. Lines connect only comparable results."
      />
      <Chosen />
    </>
  );
}

/** Reads the URL; missing parts come from the newest result. */
function Chosen() {
  const { framework, scenario, host } = route.useSearch();
  const named = { framework, scenario, host };
  const newest = useQuery({ ...newestQuery(named), enabled: !isComplete(named) });
  if (isComplete(named)) return <Shown framework={named.framework} scenario={named.scenario} />;
  return (
    <Loaded query={newest}>
      {(result) =>
        result === null ? (
          <FromCatalogue {...named} />
        ) : (
          <Shown {...completeFromResult(named, result)} />
        )
      }
    </Loaded>
  );
}

/** Completes the URL from the catalogue, because there are no results yet. */
function FromCatalogue(named: HistorySearch) {
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  return (
    <Loaded query={frameworks}>
      {({ items }) => (
        <Loaded query={scenarios}>
          {({ items: [first] }) => {
            const choice = completeFromCatalogue(named, items, first?.slug);
            return choice === null ? (
              <EmptyState title="No history yet">The catalogue is empty.</EmptyState>
            ) : (
              <Shown {...choice} />
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function Shown(choice: SeriesChoice) {
  // The history does not wait for what its filters offer.
  const frameworks = api.useQuery('get', '/api/v1/frameworks').data?.items ?? [];
  const scenarios = api.useQuery('get', '/api/v1/scenarios').data?.items ?? [];
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { framework, scenario } = choice;
  const { metric: askedMetric, load, host } = search;
  const query = { framework, scenario, metric: askedMetric, load, host };
  const answer = useQuery(historyQuery(query));
  const metric = search.metric ?? answer.data?.metric;
  const hosts = new Set([...(answer.data?.hosts ?? []), ...(search.host ? [search.host] : [])]);
  const choose = (change: Partial<typeof search>) =>
    void navigate({
      to: '/history',
      // Keep what is shown when something else changes.
      search: (now) => ({
        framework,
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
        framework.map((slug) => nameOf(frameworks, slug)).join(', '),
        nameOf(scenarios, scenario),
        metrics.find((info) => info.metric === metric)?.title,
        search.host,
      ]}
    >
      <div className={classes.choice}>
        <MultiSelect
          label="Frameworks"
          data={frameworks.map((framework) => ({ value: framework.slug, label: framework.name }))}
          value={framework}
          maxValues={MOST_FRAMEWORKS}
          searchable
          onChange={(slugs) => {
            if (slugs.length > 0) choose({ framework: slugs, load: undefined });
          }}
        />
        <Choice
          label="Scenario"
          data={scenarios.map((scenario) => ({ value: scenario.slug, label: scenario.name }))}
          value={scenario}
          onChoose={(value) => choose({ scenario: value, load: undefined })}
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
          onChoose={(value) => choose({ load: value })}
        />
        <Choice
          label="Metric"
          data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
          value={metric ?? null}
          onChoose={(value) => choose({ metric: value })}
        />
        <Choice
          label="Host"
          data={[
            { value: '', label: 'All hosts' },
            ...[...hosts].map((name) => ({ value: name, label: name })),
          ]}
          value={search.host ?? ''}
          onChoose={(value) => choose({ host: value, load: undefined })}
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
