import type { Change } from '@/api/changes';
import classes from './ChangeList.module.css';
import { ChangeRow } from './ChangeRow';

/** Shows one change with its evidence and the decision menu. */
export function ChangeDetail({ change, metricTitle }: { change: Change; metricTitle: string }) {
  return (
    <ul className={classes.list}>
      <ChangeRow change={change} metricTitle={metricTitle} isBrief={false} />
    </ul>
  );
}
