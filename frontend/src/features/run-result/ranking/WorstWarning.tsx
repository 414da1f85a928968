import { Box, Popover, UnstyledButton } from '@mantine/core';
import type { VerdictOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { VerdictBadge } from '@/components/VerdictBadge';
import { formatCount } from '@/lib/format';
import classes from './WorstWarning.module.css';

/** Shows the most severe warning of a result with its reason, and how many others there are. */
export function WorstWarning({ warnings }: { warnings: readonly VerdictOut[] }) {
  const [worst, ...others] = orderBySeverity(warnings);
  if (worst === undefined) return null;
  return (
    <Box maw="44ch">
      <span className={ui.inline}>
        <VerdictBadge {...worst} />
        {others.length > 0 && (
          <Popover width={320} position="bottom-end" withArrow shadow="none">
            <Popover.Target>
              <UnstyledButton
                className={classes.more}
                aria-label={`Show ${formatCount(others.length, 'more warning')}`}
              >
                +{others.length}
              </UnstyledButton>
            </Popover.Target>
            <Popover.Dropdown className={classes.list}>
              {others.map((warning) => (
                <div key={warning.verdict}>
                  <VerdictBadge {...warning} />
                  <p>{warning.detail}</p>
                </div>
              ))}
            </Popover.Dropdown>
          </Popover>
        )}
      </span>
      {worst.detail !== '' && (
        <Box component="p" m="2px 0 0" c="dimmed">
          {worst.excludes_from_ranking && 'Excluded: '}
          {worst.detail}
        </Box>
      )}
    </Box>
  );
}

/** Return the warnings, those that exclude the result first, then those of most trials. */
export function orderBySeverity(warnings: readonly VerdictOut[]): VerdictOut[] {
  return warnings
    .filter(({ verdict }) => verdict !== 'ok')
    .sort(
      (a, b) =>
        Number(b.excludes_from_ranking) - Number(a.excludes_from_ranking) || b.trials - a.trials,
    );
}
