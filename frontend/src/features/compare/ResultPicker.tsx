import { Box, Checkbox, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { api, PAGES } from '@/api/client';
import type { ListedResult } from '@/api/schema';
import { FilterChoice, namedOptions } from '@/components/FilterChoice';
import { MarkedName } from '@/components/Marker';
import { NextPage } from '@/components/NextPage';
import { EmptyState, Loaded } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatCount, formatDateTime, formatInterval, formatValue } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import classes from './ResultPicker.module.css';

/** Filter of the results, as in the URL. */
export interface ResultFilter {
  framework?: string | undefined;
  scenario?: string | undefined;
  host?: string | undefined;
  /** Words of framework names and run titles, or the slug of a run. */
  search?: string | undefined;
  /** Slug of a run or a part of its title, in links. */
  run?: string | undefined;
}

interface ResultPickerProps {
  filter: ResultFilter;
  onFilter: (change: ResultFilter) => void;
  chosen: readonly string[];
  onToggle: (cell: string) => void;
}

const PAGE_LENGTH = 12;

/** Lists results of any run to tick, newest first, with filters. */
export function ResultPicker({ filter, onFilter, chosen, onToggle }: ResultPickerProps) {
  const { framework = '', scenario = '', host = '' } = filter;
  const sought = filter.search ?? filter.run ?? '';
  const [search] = useDebouncedValue(sought.trim(), 300);
  const isFiltered = [framework, scenario, host, search].some((value) => value !== '');
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  const hosts = api.useQuery('get', '/api/v1/hosts');
  const query = api.useInfiniteQuery(
    'get',
    '/api/v1/cells',
    {
      params: {
        query: {
          ...(framework !== '' && { framework }),
          ...(scenario !== '' && { scenario }),
          ...(host !== '' && { host }),
          ...(search !== '' && { search }),
          limit: PAGE_LENGTH,
        },
      },
    },
    PAGES,
  );
  return (
    <div>
      <div className={classes.filter}>
        <TextInput
          className={classes.search}
          label="Search"
          placeholder="Framework, run title or slug"
          type="search"
          value={sought}
          onChange={(event) => onFilter({ search: event.currentTarget.value, run: '' })}
        />
        <FilterChoice
          label="Framework"
          data={namedOptions(frameworks.data?.items)}
          value={framework}
          searchable
          onChoose={(value) => onFilter({ framework: value })}
        />
        <FilterChoice
          label="Scenario"
          data={namedOptions(scenarios.data?.items)}
          value={scenario}
          searchable
          onChoose={(value) => onFilter({ scenario: value })}
        />
        <FilterChoice
          label="Host"
          data={(hosts.data?.items ?? []).map(({ name }) => name)}
          value={host}
          onChoose={(value) => onFilter({ host: value })}
        />
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const results = pages.flatMap((page) => page.items);
          if (results.length === 0) {
            return isFiltered ? (
              <EmptyState title="No matching results">Clear a filter above.</EmptyState>
            ) : (
              <EmptyState title="No results yet">
                Every finished run adds results to compare.
              </EmptyState>
            );
          }
          return (
            <>
              <ul className={classes.list}>
                {results.map((result) => (
                  <li key={result.cell_id}>
                    <Choice
                      result={result}
                      checked={chosen.includes(result.cell_id)}
                      onToggle={onToggle}
                    />
                  </li>
                ))}
              </ul>
              <NextPage query={query} label="Show earlier results" />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ChoiceProps {
  result: ListedResult;
  checked: boolean;
  onToggle: (cell: string) => void;
}

/** Draws a result with its value, and the title and time of its run, which distinguish repetitions. */
function Choice({ result, checked, onToggle }: ChoiceProps) {
  const { value, metric_title: metric } = result;
  return (
    <Checkbox
      classNames={{ body: classes.body ?? '', labelWrapper: classes.labelWrapper ?? '' }}
      checked={checked}
      onChange={() => onToggle(result.cell_id)}
      label={
        <Box component="span" display="block">
          <Group component="span" gap="0 16px" align="baseline" justify="space-between" fw={500}>
            <MarkedName {...result.framework} />
            <span className="figures">
              {value ? formatValue(value.estimate, value.unit) : 'no value'}{' '}
              <span className={ui.quiet}>
                {value && formatInterval(value.estimate, value.low, value.high, value.unit)}
              </span>
            </span>
          </Group>
          <Group component="span" gap="0 16px" align="baseline" justify="space-between" fw={500}>
            <Box component="span" miw={0} fw={400} className="wraps">
              {result.run_title} <span className={ui.quiet}>{result.run_slug}</span>
            </Box>
            <span className={ui.quiet}>
              {result.excluded ? (
                <Box component="strong" fw={500} c="var(--tacho-warn)">
                  excluded
                </Box>
              ) : (
                metric
              )}
            </span>
          </Group>
          <span className={ui.quiet}>
            {result.scenario.name}, {describeLoad(result)} ·{' '}
            {formatCount(result.trials_succeeded, 'trial')} · {result.host}, {result.runtime} ·{' '}
            {formatDateTime(result.at)}
          </span>
        </Box>
      }
    />
  );
}
