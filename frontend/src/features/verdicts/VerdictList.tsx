import type { VerdictInfo } from '@/api/schema';
import { VerdictLabel } from '@/components/VerdictBadge';
import { VERDICTS } from '@/lib/verdicts';
import classes from './VerdictList.module.css';

/** Lists verdicts with their meaning and advice. */
export function VerdictList({ verdicts }: { verdicts: readonly VerdictInfo[] }) {
  return (
    <dl>
      {verdicts.map(({ verdict, excludes_from_ranking: excludes }) => (
        <div key={verdict} id={verdict} className={classes.row}>
          <dt>
            <VerdictLabel verdict={verdict} excludes={excludes} />
          </dt>
          <dd>
            <p>{VERDICTS[verdict].means}</p>
            <p className={classes.advice}>{VERDICTS[verdict].advice}</p>
          </dd>
        </div>
      ))}
    </dl>
  );
}
