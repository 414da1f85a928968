import { IconAlertTriangle, IconCheck, IconQuestionMark } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { HistoryOut } from '@/api/schema';
import { type BadgeLook, IconBadge } from '@/components/IconBadge';
import classes from './HistoryAnswers.module.css';
import { keyOf, nameOf } from './lines';

const UNKNOWN: BadgeLook = { icon: IconQuestionMark, tone: 'quiet' };
const WITHIN: BadgeLook = { icon: IconCheck, tone: 'good' };
const BEYOND: BadgeLook = { icon: IconAlertTriangle, tone: 'bad' };

interface LimitStatesProps {
  history: HistoryOut;
  /** Returns whether the series of this key is in the chart. */
  isShown: (key: string) => boolean;
}

/** Shows for each series with a limit whether it is within it, and since when. */
export function LimitStates({ history, isShown }: LimitStatesProps) {
  const limits = history.series.flatMap((series, index) =>
    isShown(keyOf(history, index))
      ? series.limits.map((limit) => ({ ...limit, key: `${limit.slo_id} ${index}`, series }))
      : [],
  );
  if (limits.length === 0) return null;
  return (
    <ul className={classes.answers} aria-label="Limits">
      {limits.map(({ key, series, is_within: isWithin, text }) => (
        <li key={key}>
          {history.series.length > 1 && `${nameOf(history, series)}: `}
          <Link to="/limits">
            <IconBadge
              look={isWithin === null ? UNKNOWN : isWithin ? WITHIN : BEYOND}
              text={text}
            />
          </Link>
        </li>
      ))}
    </ul>
  );
}
