import classes from './CutNote.module.css';
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
  return isCut ? <p className={classes.note}>{CUT_NOTE}</p> : null;
}
