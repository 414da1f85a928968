import { Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { isFinished } from '@/api/runs';
import type { RunListItem, RunStatus } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { MarkedName } from '@/components/Marker';
import { ProgressBar } from '@/components/ProgressBar';
import { Loaded } from '@/components/States';
import { StatusBadge } from '@/components/StatusBadge';
import { formatCount, formatDuration, joinWords, keepRatio } from '@/lib/format';
import classes from './RunList.module.css';
import { RunOutcomeBadge } from '@/components/RunOutcomeBadge';
import ui from '@/components/ui.module.css';

const MOST_MARKS = 4;

interface RunFilter {
  status?: RunStatus;
  framework?: string;
  scenario?: string;
  /** Only runs that schedules started, or only others. */
  scheduled?: boolean;
}

interface RunListProps {
  filter: RunFilter;
  limit: number;
  /** Shown when no run matches. */
  empty: ReactNode;
}

/** Lists the latest runs, newest first. The page of all runs has the others. */
export function RunList({ filter, limit, empty }: RunListProps) {
  const query = api.useQuery('get', '/api/v1/runs', { params: { query: { ...filter, limit } } });
  return (
    <Loaded query={query}>
      {({ items }) => (items.length === 0 ? empty : <RunRows runs={items} />)}
    </Loaded>
  );
}

interface RunRowsProps {
  runs: readonly RunListItem[];
  /** Further facts of a run. */
  facts?: (run: RunListItem) => ReactNode;
}

/** Lists runs with their frameworks, answer and progress. */
export function RunRows({ runs, facts }: RunRowsProps) {
  return (
    <ul className={ui.rows}>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} facts={facts} />
      ))}
    </ul>
  );
}

function RunRow({ run, facts }: Pick<RunRowsProps, 'facts'> & { run: RunListItem }) {
  const more = run.frameworks.length - MOST_MARKS;
  return (
    <li className={classes.row}>
      <Box miw={0}>
        <Link to="/r/$run" params={{ run: run.slug }} className={classes.title}>
          {run.title}
        </Link>
        <div className={ui.quiet}>
          {joinWords(run.scenarios.map((scenario) => scenario.name))}
          {' · '}
          {formatCount(run.trials_per_cell, 'trial')} per result
        </div>
        {facts?.(run)}
      </Box>
      <div className={classes.frameworks}>
        {typeof run.summary === 'string' && (
          <span className={classes.answer}>{keepRatio(run.summary)}</span>
        )}
        {run.frameworks.slice(0, MOST_MARKS).map((framework) => (
          <MarkedName key={framework.slug} {...framework} />
        ))}
        {more > 0 && <span className={ui.quiet}>+{more}</span>}
      </div>
      <div className={classes.state}>
        {isFinished(run.status) ? (
          <>
            <RunOutcomeBadge run={run} />
            <Box component="span" c="dimmed" className="figures">
              <Ago at={run.finished_at ?? run.created_at} />
            </Box>
          </>
        ) : (
          <Underway run={run} />
        )}
      </div>
    </li>
  );
}

function Underway({ run }: { run: RunListItem }) {
  const { progress } = run;
  const left = progress.estimated_seconds_left;
  const ahead = progress.queue_position ?? 0;
  const waits = run.status === 'queued' && ahead > 0;
  return (
    <>
      <StatusBadge status={run.status} />
      <ProgressBar share={progress.share} label={`${run.title}: progress`} />
      <Box component="span" c="dimmed" className="figures">
        {waits
          ? `${formatCount(ahead, 'run')} ahead`
          : left !== null && left !== undefined && `${formatDuration(left)} left`}
      </Box>
    </>
  );
}
