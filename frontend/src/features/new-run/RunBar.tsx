import { Button } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCount, formatDuration } from '@/lib/format';
import { encodePlan, type Plan } from '@/lib/run-plan';
import classes from './RunBar.module.css';

interface RunBarProps {
  plan: Plan;
  /** Of the run: a sweep has one for each value. */
  cells: number;
  /** Of all trials, without building. */
  seconds: number;
  refused: boolean;
  busy: boolean;
  onRun: () => void;
  onClear: () => void;
}

/** What it will cost, and the button; always in reach. */
export function RunBar({ plan, cells, seconds, refused, busy, onRun, onClear }: RunBarProps) {
  const none = plan.cells.length === 0;
  return (
    <div className={classes.bar} role="region" aria-label="Start the run">
      <div className={classes.sum}>
        {none ? (
          <span className={classes.quiet}>Choose at least one cell of the matrix.</span>
        ) : (
          <>
            <output>
              {formatCount(cells, 'cell')} × {formatCount(plan.trials, 'trial')} ≈{' '}
              <strong>{formatDuration(seconds)}</strong>
            </output>
            <span className={classes.quiet}>
              {refused
                ? 'Not started: see what is marked above.'
                : 'A framework that was not built yet takes its build on top.'}
            </span>
          </>
        )}
      </div>
      {!none && (
        <Button className={classes.clear} variant="subtle" color="gray" onClick={onClear}>
          Clear
        </Button>
      )}
      {!none && (
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/schedules/new" search={encodePlan(plan)} {...props} />}
        >
          Schedule this…
        </Button>
      )}
      <Button
        size="md"
        disabled={none}
        loading={busy}
        onClick={onRun}
        leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
      >
        Run
      </Button>
    </div>
  );
}
