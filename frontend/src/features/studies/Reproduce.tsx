import { Box, Button } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, LEAVES } from '@/api/client';
import type { ReproduceIn, StudyOut, VariantOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { formatCount, formatDuration } from '@/lib/format';
import classes from './Reproduce.module.css';

const VARIANTS: readonly { variant: ReproduceIn['variant']; name: string; what: string }[] = [
  {
    variant: 'quick',
    name: 'Quick',
    what: 'Fewer values and shorter trials, to check the order.',
  },
  { variant: 'full', name: 'Full', what: 'All values, as long as in the study.' },
];

/** Shows both variants with their duration, what cannot run, and the start button. */
export function Reproduce({ study }: { study: StudyOut }) {
  const reproduce = api.useMutation('post', '/api/v1/studies/{slug}/reproduce', LEAVES);
  const navigate = useNavigate();
  const [asked, setAsked] = useState<ReproduceIn['variant']>('quick');
  const { isAllowed, denial } = useAccess('run');
  const start = (variant: ReproduceIn['variant']) => {
    setAsked(variant);
    reproduce.mutate(
      { params: { path: { slug: study.slug } }, body: { variant, visibility: 'unlisted' } },
      {
        onSuccess: (run) => void navigate({ to: '/r/$run', params: { run: run.slug } }),
      },
    );
  };
  return (
    <>
      <DenialNote denial={denial} action="reproduce it" />
      {reproduce.error && <Refusal error={reproduce.error} />}
      <ul className={classes.variants}>
        {VARIANTS.map(({ variant, name, what }) => {
          const plan = study.variants[variant];
          if (plan === undefined) return null;
          return (
            <li key={variant} className={classes.variant}>
              <Box component="h3" m={0} fz="sm" fw={600}>
                {name}
              </Box>
              <p className={classes.what}>{what}</p>
              <p className={classes.cost}>
                {formatCount(plan.cells.length, 'result')} × {formatCount(plan.trials, 'trial')} ≈{' '}
                {formatDuration(plan.seconds)}
                {study.host !== null && study.host !== undefined && ` on ${study.host}`}
              </p>
              <Obstacles plan={plan} />
              <Button
                size="xs"
                variant={variant === 'quick' ? 'filled' : 'default'}
                leftSection={<IconPlayerPlayFilled size={12} aria-hidden />}
                disabled={!isAllowed || plan.cells.length === 0 || study.host === null}
                loading={reproduce.isPending && asked === variant}
                onClick={() => start(variant)}
              >
                Reproduce {variant}
              </Button>
            </li>
          );
        })}
      </ul>
      {study.host === null && (
        <p className={classes.what}>
          There is no bench host that you may use. Start one with <code>make up</code>, or ask an
          operator.
        </p>
      )}
    </>
  );
}

/** Lists what cannot be measured here, grouped by reason. */
function Obstacles({ plan }: { plan: VariantOut }) {
  if (plan.impossible.length === 0) return null;
  const reasons = new Map<string, Set<string>>();
  for (const { system, reason } of plan.impossible) {
    reasons.set(reason, (reasons.get(reason) ?? new Set()).add(system));
  }
  return (
    <details className={classes.obstacles}>
      <summary>
        {formatCount(new Set(plan.impossible.map((cell) => cell.system)).size, 'system')} cannot run
        here
      </summary>
      <ul>
        {[...reasons].map(([reason, systems]) => (
          <li key={reason}>
            {[...systems].join(', ')}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
