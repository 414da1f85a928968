import { Select, TextInput } from '@mantine/core';
import { RUN_ORDERS, RUN_OUTCOMES, RUN_STATUSES } from '@/api/runs';
import { api } from '@/api/client';
import type { RunSort } from '@/api/schema';
import { useMay } from '@/api/session';
import { FilterChoice, type FilterChoiceProps, namedOptions } from '@/components/FilterChoice';
import { FoldedFilters } from '@/components/FoldedFilters';
import { words } from '@/lib/format';
import type { RunSearch } from './query';
import classes from './RunFilters.module.css';

const ORDERS: Record<RunSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  title: 'By title',
  longest: 'Longest first',
};

const DAYS = [
  { name: 'since', label: 'Requested from' },
  { name: 'until', label: 'Until' },
] as const;

/** Return a word for each option. */
function inWords<Value extends string>(values: readonly Value[]) {
  return values.map((value) => ({ value, label: words(value) }));
}

interface RunFiltersProps {
  search: RunSearch;
  onChange: (change: RunSearch) => void;
}

/** Filters and order of the list of all runs. Only members see who requested a run. */
export function RunFilters({ search, onChange }: RunFiltersProps) {
  const frameworks = namedOptions(api.useQuery('get', '/api/v1/frameworks').data?.items);
  const scenarios = namedOptions(api.useQuery('get', '/api/v1/scenarios').data?.items);
  const hosts = api.useQuery('get', '/api/v1/hosts').data?.items ?? [];
  const isMember = useMay('view');
  const choose = (name: keyof RunSearch) => (value: string) =>
    onChange({ [name]: value || undefined });
  const labelOf = (options: typeof frameworks, slug: string | undefined) =>
    options.find(({ value }) => value === slug)?.label ?? slug;
  return (
    <FoldedFilters
      summary={[
        labelOf(frameworks, search.framework),
        labelOf(scenarios, search.scenario),
        search.host,
        search.requested_by,
        search.status && words(search.status),
        search.outcome && words(search.outcome),
        search.since && `from ${search.since}`,
        search.until && `until ${search.until}`,
        search.sort && ORDERS[search.sort],
      ]}
    >
      <div className={classes.filters} role="search" aria-label="Filter runs">
        <FilterChoice
          label="Framework"
          data={frameworks}
          value={search.framework}
          searchable
          onChoose={choose('framework')}
        />
        <FilterChoice
          label="Scenario"
          data={scenarios}
          value={search.scenario}
          searchable
          onChoose={choose('scenario')}
        />
        <FilterChoice
          label="Host"
          data={hosts.map(({ name }) => name)}
          value={search.host}
          onChoose={choose('host')}
        />
        {isMember && <Requester value={search.requested_by} onChoose={choose('requested_by')} />}
        <FilterChoice
          label="Outcome"
          data={inWords(RUN_OUTCOMES)}
          value={search.outcome}
          onChoose={choose('outcome')}
        />
        <FilterChoice
          label="Status"
          data={inWords(RUN_STATUSES)}
          value={search.status}
          onChoose={choose('status')}
        />
        {DAYS.map(({ name, label }) => (
          <TextInput
            key={name}
            type="date"
            label={label}
            value={search[name] ?? ''}
            onChange={(event) => choose(name)(event.currentTarget.value)}
          />
        ))}
        <Select
          label="Order"
          data={RUN_ORDERS.map((value) => ({ value, label: ORDERS[value] }))}
          value={search.sort ?? RUN_ORDERS[0]}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) onChange({ sort: value === RUN_ORDERS[0] ? undefined : value });
          }}
        />
      </div>
    </FoldedFilters>
  );
}

/** Offers the members. A list of runs leads to other requesters, too. */
function Requester(props: Pick<FilterChoiceProps, 'value' | 'onChoose'>) {
  const members = api.useQuery('get', '/api/v1/members').data?.items ?? [];
  const emails = members.map(({ email }) => email);
  return <FilterChoice label="Requested by" data={emails} searchable {...props} />;
}
