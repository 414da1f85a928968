import { Box, Group, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { LeaderboardOut, MetricOut } from '@/api/schema';
import { CompareChosen } from '@/components/CompareChosen';
import { FoldedFilters } from '@/components/FoldedFilters';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { ApartList, ExcludedList } from '@/features/leaderboard/Apart';
import { Board } from '@/features/leaderboard/Board';
import { BoardAnswer } from '@/features/leaderboard/BoardAnswer';
import { EmptyBoard } from '@/features/leaderboard/EmptyBoard';
import { leaderboardParameters, leaderboardQuery } from '@/features/leaderboard/query';
import { formatWeights, parseWeights } from '@/features/leaderboard/weights';
import { WeightsForm } from '@/features/leaderboard/WeightsForm';
import { loadsOfBoard } from '@/features/not-measured/loads';
import { NotMeasured } from '@/features/not-measured/NotMeasured';
import { words } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import { togglePicked } from '@/lib/picked';
import type { leaderboardSearch } from './search';
import classes from './LeaderboardPage.module.css';

const route = getRouteApi('/leaderboard');
type LeaderboardSearch = ReturnType<typeof leaderboardSearch>;

const DEFAULT_WEIGHTS = 'cpu_us_per_request:2,latency_p99_ms:2,memory_peak_bytes:1';

/** Ranks frameworks by scenario and host. */
export function LeaderboardPage(): ReactNode {
  return (
    <>
      <PageHeader
        title="Leaderboard"
        meta="Each framework’s latest valid result. Only results measured the same way are ranked together."
      />
      <Ranked />
    </>
  );
}

/** Shows the board. The server fills in missing parameters from the board whose results can be trusted most. */
function Ranked() {
  // The board does not wait for what its filters offer.
  const known = api.useQuery('get', '/api/v1/scenarios');
  const scenarios = known.data?.items ?? [];
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(leaderboardQuery(leaderboardParameters(search)));
  const found = query.data;
  const scenario = search.scenario ?? found?.scenario.slug;
  const hosts = new Set([...(found?.hosts ?? []), ...(search.host ? [search.host] : [])]);
  const go = (change: LeaderboardSearch) =>
    void navigate({
      to: '/leaderboard',
      // Keep the scenario when something else changes.
      search: (now) => ({ ...(scenario && { scenario }), ...now, ...change }),
      replace: true,
      resetScroll: false,
    });
  if (known.data?.items.length === 0) {
    return <EmptyState title="Nothing to rank">The catalogue has no scenarios.</EmptyState>;
  }
  const weights = parseWeights(search.weights);
  const isComposite = search.weights !== undefined;
  const shownMetric = metrics.find(({ metric }) => metric === (search.metric ?? found?.metric));
  return (
    <>
      {found !== undefined && <BoardAnswer board={found} />}
      <FoldedFilters
        summary={[
          scenarios.find(({ slug }) => slug === scenario)?.name,
          search.host ?? found?.host,
          found?.kind && describeLoad({ kind: found.kind, parameters: found.parameters }),
          isComposite ? 'Composite' : shownMetric?.title,
        ]}
      >
        <div className={classes.choice}>
          <Select
            label="Scenario"
            data={scenarios.map(({ slug, name }) => ({ value: slug, label: name }))}
            value={scenario ?? null}
            allowDeselect={false}
            onChange={(value) => {
              if (value !== null)
                go({ scenario: value, profile: '', runtime: undefined, board: '' });
            }}
          />
          <Select
            label="Host"
            data={[...hosts]}
            value={search.host ?? found?.host ?? null}
            placeholder="None yet"
            allowDeselect={false}
            onChange={(value) => {
              if (value !== null) go({ host: value, profile: '', runtime: undefined, board: '' });
            }}
          />
          <Select
            label="Load and runtime"
            data={(found?.profiles ?? []).map((profile) => ({
              value: `${profile.profile} ${profile.runtime}`,
              label: `${words(profile.profile)}, ${profile.runtime} (${profile.frameworks})`,
            }))}
            value={found?.profile ? `${found.profile} ${found.runtime ?? ''}` : null}
            placeholder="None yet"
            allowDeselect={false}
            onChange={(value) => {
              const [profile, runtime] = (value ?? '').split(' ');
              if (profile && (runtime === 'docker' || runtime === 'process')) {
                go({ profile, runtime, board: '' });
              }
            }}
          />
          {!isComposite && (
            <Select
              label="Metric"
              data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
              value={search.metric ?? found?.metric ?? null}
              allowDeselect={false}
              searchable
              onChange={(value) => {
                if (value !== null) go({ metric: value });
              }}
            />
          )}
          <Box miw={0}>
            <SegmentedControl
              aria-label="Rank by"
              data={[
                { value: 'metric', label: 'One metric' },
                { value: 'composite', label: 'Composite' },
              ]}
              value={isComposite ? 'composite' : 'metric'}
              onChange={(value) => go({ weights: value === 'composite' ? DEFAULT_WEIGHTS : '' })}
            />
          </Box>
        </div>
        {isComposite && (
          <WeightsForm
            weights={weights}
            metrics={metrics}
            onChange={(next) => go({ weights: formatWeights(next) })}
          />
        )}
      </FoldedFilters>
      <Loaded query={query} loading={<LoadingState lines={8} height={28} />}>
        {(board) => (
          <Found
            board={board}
            metrics={metrics}
            go={go}
            isComposite={isComposite}
            picked={search.picked ?? []}
          />
        )}
      </Loaded>
    </>
  );
}

interface FoundProps {
  board: LeaderboardOut;
  metrics: readonly MetricOut[];
  go: (change: LeaderboardSearch) => void;
  isComposite: boolean;
  /** Results ticked to compare. */
  picked: readonly string[];
}

function Found({ board, metrics, go, isComposite, picked }: FoundProps) {
  const here = picked.filter((cell) => board.entries.some(({ result }) => result.cell_id === cell));
  if (board.entries.length === 0) return <EmptyBoard board={board} />;
  const title = isComposite
    ? 'Composite'
    : (metrics.find((metric) => metric.metric === board.metric)?.title ?? words(board.metric));
  const compared = here.length >= 2 ? here : board.entries.map(({ result }) => result.cell_id);
  return (
    <>
      <Group gap="8px 24px" justify="space-between" mb="xs">
        <p className={ui.quiet}>
          {board.kind && describeLoad({ kind: board.kind, parameters: board.parameters })} ·{' '}
          {board.host}, {board.runtime}
        </p>
        <CompareChosen
          cells={compared}
          label={here.length >= 2 ? `Compare ${here.length} selected` : 'Compare all'}
        />
      </Group>
      <Board
        entries={board.entries}
        title={title}
        isComposite={isComposite}
        metrics={metrics}
        chosen={here}
        onToggle={(cell) => go({ picked: togglePicked(here, cell) })}
      />
      <NotMeasured host={board.host} loads={loadsOfBoard(board)} />
      {board.apart.length > 0 && (
        <Section
          title="Measured under other conditions"
          hint="Not ranked above, because their host, harness, runtime or load differs."
        >
          <ApartList results={board.apart} onBoard={(name) => go({ board: name })} />
        </Section>
      )}
      {board.excluded.length > 0 && (
        <Section title="Excluded" hint="All results of these frameworks failed a check.">
          <ExcludedList results={board.excluded} />
        </Section>
      )}
    </>
  );
}
