import { Box } from '@mantine/core';
import type { ShiftOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { formatRatio, formatRatioInterval } from '@/lib/ratio';
import classes from './SizeText.module.css';
import { judge, sizeOf, toneOf } from './sizes';

/** Shows `1.08× [1.05, 1.11] worse`, new divided by old. */
export function SizeText({ shift }: { shift: ShiftOut }) {
  const size = sizeOf(shift);
  return (
    <span className="figures nowrap">
      <Box component="strong" fw={600}>
        {formatRatio(size.ratio)}
      </Box>{' '}
      <span className={ui.quiet}>{formatRatioInterval(size)}</span>{' '}
      <span className={classes.word} data-tone={toneOf(shift)}>
        {judge(shift)}
      </span>
    </span>
  );
}
