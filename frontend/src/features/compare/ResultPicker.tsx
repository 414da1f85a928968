import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { cellQueries, type ResultItem } from '@/api/cells';
import { frameworkQueries } from '@/api/frameworks';
import { hostQueries } from '@/api/hosts';
import { scenarioQueries } from '@/api/scenarios';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import { EmptyState, Loaded } from '@/components/States';
import { formatCount } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import classes from './ResultPicker.module.css';

/** Filter of the results, as in the URL. */
export interface ResultFilter {
  framework?: string | undefined;
  scenario?: string | undefined;
  host?: string | undefined;
  /** Slug of a run. */
  run?: string | undefined;
}

interface ResultPickerProps {
  filter: ResultFilter;
  onFilter: (change: ResultFilter) => void;
  chosen: readonly string[];
  onToggle: (cell: string) => void;
}

const PAGE = 12;

/** Lists results of any run to tick, newest first, with filters. */
export function ResultPicker({ filter, onFilter, chosen, onToggle }: ResultPickerProps) {
  const { framework = '', scenario = '', host = '', run = '' } = filter;
  const [askedRun] = useDebouncedValue(run.trim(), 300);
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  const hosts = useQuery(hostQueries.list());
  const query = useInfiniteQuery(
    cellQueries.pages(
      {
        ...(framework !== '' && { framework }),
        ...(scenario !== '' && { scenario }),
        ...(host !== '' && { host }),
        ...(askedRun !== '' && { run: askedRun }),
      },
      PAGE,
    ),
  );
  const named = (items: readonly { slug: string; name: string }[] | undefined) =>
    (items ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
  return (
    <div>
      <div className={classes.filter}>
        <Select
          label="Framework"
          placeholder="Any"
          data={named(frameworks.data)}
          value={framework}
          onChange={(value) => {
            onFilter({ framework: value ?? '' });
          }}
          clearable
          searchable
        />
        <Select
          label="Scenario"
          placeholder="Any"
          data={named(scenarios.data)}
          value={scenario}
          onChange={(value) => {
            onFilter({ scenario: value ?? '' });
          }}
          clearable
          searchable
        />
        <Select
          label="Host"
          placeholder="Any"
          data={(hosts.data ?? []).map(({ name }) => name)}
          value={host}
          onChange={(value) => {
            onFilter({ host: value ?? '' });
          }}
          clearable
        />
        <TextInput
          label="Run"
          placeholder="k3v9q2mx4d"
          value={run}
          onChange={(event) => {
            onFilter({ run: event.currentTarget.value });
          }}
        />
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const results = pages.flatMap((page) => page.items);
          if (results.length === 0) {
            return (
              <EmptyState title="No matching results">
                Clear a filter above, or start a run. Every finished run adds results to compare.
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
              {query.hasNextPage && (
                <Button
                  mt={12}
                  variant="default"
                  size="xs"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Show earlier results
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface ChoiceProps {
  result: ResultItem;
  checked: boolean;
  onToggle: (cell: string) => void;
}

function Choice({ result, checked, onToggle }: ChoiceProps) {
  return (
    <Checkbox
      checked={checked}
      onChange={() => {
        onToggle(result.cell_id);
      }}
      label={
        <span className={classes.choice}>
          <span className={classes.what}>
            <MarkedName {...result.framework} />
            {result.excluded && <span className={classes.quiet}> excluded</span>}
          </span>
          <span className={classes.quiet}>
            {result.scenario.name}, {describeLoad(result)} ·{' '}
            {formatCount(result.trials_succeeded, 'trial')} · {result.host}, {result.runtime} ·{' '}
            <Ago at={result.at} />
          </span>
        </span>
      }
    />
  );
}
