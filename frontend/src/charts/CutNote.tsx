import { Box } from '@mantine/core';
import { cutWhisker, type Level } from './scales';

const CUT_NOTE =
  'An arrow marks an interval that continues beyond the chart. The table has its ends.';

interface CutNoteProps {
  levels: readonly Pick<Level, 'low' | 'high'>[];
  /** Ends of the axis. */
  domain: readonly [number, number];
}

/** Explains the arrows of a chart if it has some. */
export function CutNote({ levels, domain }: CutNoteProps) {
  const isCut = levels.some((level) => {
    const cut = cutWhisker(level, domain);
    return cut !== null && (cut.isLowCut || cut.isHighCut);
  });
  return isCut ? (
    <Box component="p" m="4px 0 0" fz="xs" c="dimmed">
      {CUT_NOTE}
    </Box>
  ) : null;
}
