import { Button, Stack, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api } from '@/api/client';
import type { PresetOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { formatCount, formatDuration } from '@/lib/format';
import { describeAmount, encodePlan, type Plan } from '@/lib/run-plan';
import { planOfRequest } from '@/lib/run-request';
import { stringifySearch } from '@/lib/search';
import classes from './PresetChoice.module.css';

interface PresetChoiceProps {
  plan: Plan;
  onPlan: (plan: Plan) => void;
}

interface Choice {
  preset: PresetOut;
  plan: Plan;
}

/** Fills the form with the run for a common question or a study. */
export function PresetChoice({ plan, onPlan }: PresetChoiceProps) {
  const presets = api.useQuery('get', '/api/v1/presets').data?.items;
  const choices = useMemo(
    () => (presets ?? []).map((preset) => ({ preset, plan: planOfRequest(preset.request) })),
    [presets],
  );
  if (choices.length === 0) return null;
  const address = stringifySearch(encodePlan(plan));
  const chosen = choices.find((choice) => stringifySearch(encodePlan(choice.plan)) === address);
  return (
    <Stack gap="xs">
      {KINDS.map(({ kind, label }) => (
        <div key={kind} className={classes.row} role="group" aria-label={label}>
          <span className={ui.quiet} aria-hidden>
            {label}
          </span>
          <div className={classes.choices}>
            {choices
              .filter((choice) => choice.preset.kind === kind)
              .map((choice) => (
                <Tooltip key={choice.preset.slug} label={choice.preset.description}>
                  <Button
                    size="xs"
                    variant={choice === chosen ? 'light' : 'default'}
                    aria-pressed={choice === chosen}
                    onClick={() => onPlan(choice.plan)}
                  >
                    {choice.preset.name}
                  </Button>
                </Tooltip>
              ))}
          </div>
        </div>
      ))}
      <p className={classes.hint} role="status">
        {chosen && <Chosen choice={chosen} />}
      </p>
    </Stack>
  );
}

const KINDS = [
  { kind: 'question', label: 'Common questions' },
  { kind: 'study', label: 'Studies' },
] as const;

function Chosen({ choice: { preset, plan } }: { choice: Choice }) {
  return (
    <>
      {preset.description} {formatCount(preset.results, 'result')} {describeAmount(plan)}{' '}
      {formatDuration(preset.seconds)}.
      {preset.kind === 'study' && (
        <>
          {' '}
          One load per scenario: the{' '}
          <Link to="/studies/$slug" params={{ slug: preset.slug }}>
            study page
          </Link>{' '}
          reproduces all of them.
        </>
      )}
    </>
  );
}
