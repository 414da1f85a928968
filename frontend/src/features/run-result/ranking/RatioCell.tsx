import { Box } from '@mantine/core';
import { PairBadge } from '@/components/PairBadge';
import ui from '@/components/ui.module.css';
import { splitInterval } from '@/lib/ratio';
import type { RankedCell } from './ranking';

/** Draws the ratio to the baseline, such as `1.54× [1.5, 1.6]`, and what is known about the pair. */
export function RatioCell({ ratio, isBaseline }: Pick<RankedCell, 'ratio' | 'isBaseline'>) {
  if (isBaseline) return <span className={ui.quiet}>baseline</span>;
  if (ratio === null) return <span className={ui.quiet}>not comparable</span>;
  const { figure, interval } = splitInterval(ratio.text);
  return (
    <span>
      {figure} {interval !== null && <span className={ui.quiet}>{interval}</span>}
      <Box component="span" display="block">
        <PairBadge found={ratio} />
      </Box>
    </span>
  );
}
