import { formatCount, joinWords } from '@/lib/format';
import type { UnableGroup } from './cells';
import classes from './UnableFrameworks.module.css';

/** Folds the frameworks that cannot run into one line; unfolded, they are listed with the reason. */
export function UnableFrameworks({ groups }: { groups: readonly UnableGroup[] }) {
  const [first, ...others] = groups;
  if (first === undefined) return null;
  const count = groups.reduce((sum, { frameworks }) => sum + frameworks.length, 0);
  return (
    <details className={classes.unable}>
      <summary>
        {formatCount(count, 'framework')} left out
        {others.length === 0 ? `: ${first.reason}` : ` for ${groups.length} reasons`}
      </summary>
      <ul>
        {groups.map(({ reason, frameworks }) => (
          <li key={reason}>
            {joinWords(frameworks.map(({ name }) => name))}: {reason}.
          </li>
        ))}
      </ul>
    </details>
  );
}
