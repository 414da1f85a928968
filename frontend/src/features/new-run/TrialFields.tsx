import { Select } from '@mantine/core';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import {
  DEFAULT_LIMITS,
  FIRST_BLOCKS,
  type Limits,
  MAX_MINUTES,
  MAX_TRIALS,
  type Plan,
} from '@/lib/run-plan';

interface TrialFieldsProps {
  plan: Plan;
  onChange: (plan: Plan) => void;
  /** Errors of the server by field. */
  problems: Record<string, string>;
}

/** Fields for the number of trials, or for the limits of a run until the ranking is certain. */
export function TrialFields({ plan, onChange, problems }: TrialFieldsProps) {
  return (
    <>
      <Select
        label="Measure"
        description="How long the run continues."
        data={[
          { value: 'trials', label: 'A fixed number of trials' },
          { value: 'ranked', label: 'Until the ranking is certain' },
        ]}
        value={plan.until === null ? 'trials' : 'ranked'}
        error={problems.until}
        allowDeselect={false}
        onChange={(value) =>
          onChange({ ...plan, until: value === 'ranked' ? DEFAULT_LIMITS : null })
        }
      />
      {plan.until === null ? (
        <WholeNumberInput
          label="Trials per result"
          description={trialsAdvice(plan.trials)}
          min={1}
          max={MAX_TRIALS}
          value={plan.trials}
          error={problems.trials}
          onNumber={(trials) => onChange({ ...plan, trials })}
        />
      ) : (
        <LimitFields
          limits={plan.until}
          problems={problems}
          onLimits={(until) => onChange({ ...plan, until })}
        />
      )}
    </>
  );
}

interface LimitFieldsProps {
  limits: Limits;
  problems: Record<string, string>;
  onLimits: (limits: Limits) => void;
}

function LimitFields({ limits, problems, onLimits }: LimitFieldsProps) {
  return (
    <>
      <WholeNumberInput
        label="Maximum trials per result"
        description="The run stops here, even if the ranking is not certain."
        min={FIRST_BLOCKS}
        max={MAX_TRIALS}
        value={limits.maxTrials}
        error={problems.max_trials}
        onNumber={(maxTrials) => onLimits({ ...limits, maxTrials })}
      />
      <WholeNumberInput
        label="Maximum minutes"
        description="Builds do not count."
        min={1}
        max={MAX_MINUTES}
        unit="min"
        value={limits.maxMinutes}
        error={problems.max_minutes}
        onNumber={(maxMinutes) => onLimits({ ...limits, maxMinutes })}
      />
    </>
  );
}

function trialsAdvice(trials: number): string {
  if (trials === 1) return 'A single trial has no interval, so results cannot be compared.';
  if (trials <= 3) return 'Too few: intervals will be wide. Five are recommended.';
  return 'Each trial is a fresh start. More trials give narrower intervals.';
}
