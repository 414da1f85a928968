import { Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isFinished } from '@/api/runs';
import type { RunListItem } from '@/api/schema';
import { ProgressBar } from '@/components/ProgressBar';
import { StatusBadge } from '@/components/StatusBadge';
import { RunOutcomeBadge } from '@/components/RunOutcomeBadge';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './Group.module.css';

/** Shows the answer of each host's run, with a link to the run. */
export function HostAnswers({ runs }: { runs: readonly RunListItem[] }) {
  return (
    <ul className={classes.hosts}>
      {runs.map((run) => (
        <li key={run.id} className={classes.host}>
          <Group gap="4px 12px" justify="space-between">
            <Link to="/r/$run" params={{ run: run.slug }} className={classes.name}>
              {run.host}
            </Link>
            {isFinished(run.status) ? (
              <RunOutcomeBadge run={run} />
            ) : (
              <StatusBadge status={run.status} />
            )}
          </Group>
          <Answer run={run} />
        </li>
      ))}
    </ul>
  );
}

function Answer({ run }: { run: RunListItem }) {
  const { progress, summary } = run;
  if (isFinished(run.status)) {
    return (
      <Box component="p" m="8px 0 0">
        {summary ?? 'This run has no answer.'}
      </Box>
    );
  }
  const ahead = progress.queue_position ?? 0;
  return (
    <Group gap="sm" wrap="nowrap" mt="xs">
      <ProgressBar share={progress.share} label={`${run.host}: progress`} />
      <span className={ui.quiet}>
        {ahead > 0
          ? `${formatCount(ahead, 'run')} ahead`
          : `${progress.trials_finished} of ${formatCount(progress.trials_total, 'trial')}`}
      </span>
    </Group>
  );
}
