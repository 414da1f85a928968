import type { Change } from '@/api/changes';
import classes from './ChangeList.module.css';
import { ChangeRow } from './ChangeRow';

/** One change with all its evidence, and the ways to decide. */
export function ChangeDetail({ change, metricTitle }: { change: Change; metricTitle: string }) {
  return (
    <ul className={classes.list}>
      <ChangeRow change={change} metricTitle={metricTitle} isBrief={false} />
    </ul>
  );
}
