import { Box, Popover, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconQuestionMark } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import ui from './ui.module.css';
import { formatCount, words } from '@/lib/format';
import type { VerdictName } from '@/lib/verdicts';
import { VerdictMeaning } from './lazy';
import { LoadingState } from './States';
import { ToneBadge } from './ToneBadge';
import classes from './VerdictBadge.module.css';

export interface ShownVerdict {
  verdict: VerdictName;
  /** The figures behind it. */
  detail: string;
  trials: number;
  excludes_from_ranking: boolean;
}

const ICONS = { good: IconCheck, caution: IconQuestionMark, warn: IconAlertTriangle };

/** A verdict's name, icon and colour: green for none, violet for a warning, amber for an exclusion. */
export function VerdictLabel({ verdict, excludes }: { verdict: VerdictName; excludes: boolean }) {
  const tone = verdict === 'ok' ? 'good' : excludes ? 'warn' : 'caution';
  return <ToneBadge icon={ICONS[tone]} tone={tone} text={words(verdict)} />;
}

/** Shows a verdict; a tap opens its meaning and advice. */
export function VerdictBadge({
  verdict,
  detail,
  trials,
  excludes_from_ranking: excludes,
}: ShownVerdict) {
  return (
    <Popover width={320} position="bottom-end" withArrow shadow="none">
      <Popover.Target>
        <UnstyledButton className={classes.target}>
          <VerdictLabel verdict={verdict} excludes={excludes} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.reason}>
        <strong>{words(verdict)}</strong>
        {excludes && ' excludes this result from ranking'}
        {detail !== '' && (
          <Box component="p" m={0} fw={500}>
            {detail}
          </Box>
        )}
        <Suspense fallback={<LoadingState lines={4} />}>
          <VerdictMeaning verdict={verdict} />
        </Suspense>
        <p className={ui.quiet}>
          {verdict !== 'ok' && trials > 0 && `Affects ${formatCount(trials, 'trial')}. `}
          <Link to="/verdicts" hash={verdict}>
            All verdicts
          </Link>
        </p>
      </Popover.Dropdown>
    </Popover>
  );
}

/**
 * All verdicts of a cell or a trial, those that exclude first. The server sends `ok` if all checks
 * passed. Without a succeeded trial nothing was checked, and there is no verdict.
 */
export function Verdicts({ verdicts }: { verdicts: readonly ShownVerdict[] }) {
  if (verdicts.length === 0) return <span className={ui.quiet}>not checked</span>;
  const excludingFirst = [...verdicts].sort(
    (a, b) => Number(b.excludes_from_ranking) - Number(a.excludes_from_ranking),
  );
  return (
    <span className={ui.inline}>
      {excludingFirst.map((shown) => (
        <VerdictBadge key={shown.verdict} {...shown} />
      ))}
    </span>
  );
}
