import { Button } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useAccess, useMay } from '@/api/session';
import { LinkButton } from '@/components/LinkButton';
import { SignInLink } from '@/components/SignInLink';
import ui from '@/components/ui.module.css';
import { formatCount, formatDuration } from '@/lib/format';
import { describeAmount, encodePlan, type Plan } from '@/lib/run-plan';
import classes from './RunBar.module.css';

interface RunBarProps {
  plan: Plan;
  /** Number of cells; a sweep has a cell for each value. */
  cells: number;
  /** Duration of all trials, without building. */
  seconds: number;
  refused: boolean;
  busy: boolean;
  onRun: () => void;
  onClear: () => void;
}

/** Shows the estimated duration and the Run button, always visible. */
export function RunBar({ plan, cells, seconds, refused, busy, onRun, onClear }: RunBarProps) {
  const none = plan.cells.length === 0;
  const run = useAccess('run');
  const maySchedule = useMay('manage');
  return (
    <div className={classes.bar} role="region" aria-label="Start the run">
      <div className={classes.sum}>
        {none ? (
          <span className={ui.quiet}>
            {plan.scenarios.length === 0
              ? 'Choose a scenario or a preset.'
              : 'Tick at least one framework.'}
          </span>
        ) : (
          <>
            <output>
              {formatCount(cells, 'result')} {describeAmount(plan)}{' '}
              <strong>{formatDuration(seconds)}</strong>
            </output>
            <span className={ui.quiet}>
              {run.denial !== null && !run.denial.canSignIn
                ? run.denial.reason
                : refused
                  ? 'Not started. Fix the marked fields above.'
                  : 'First-time builds add to this estimate.'}
            </span>
          </>
        )}
      </div>
      {!none && (
        <Button className={classes.clear} variant="subtle" color="gray" onClick={onClear}>
          Clear
        </Button>
      )}
      {!none && maySchedule && (
        <LinkButton size="sm" to="/schedules/new" search={encodePlan(plan)}>
          Schedule…
        </LinkButton>
      )}
      {run.denial?.canSignIn ? (
        <SignInLink size="md" label="Sign in to run" />
      ) : (
        <Button
          size="md"
          disabled={none || !run.isAllowed}
          loading={busy}
          onClick={onRun}
          leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
        >
          Run
        </Button>
      )}
    </div>
  );
}
