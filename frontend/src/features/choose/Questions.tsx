import { Link } from '@tanstack/react-router';
import type { FrameworkOut } from '@/api/schema';
import classes from './Choose.module.css';
import { listQuestions } from './criteria';

/** Lists questions that the page Choose answers. */
export function Questions({ frameworks }: { frameworks: readonly FrameworkOut[] }) {
  return (
    <ul className={classes.questions}>
      {listQuestions(frameworks).map(({ text, search }) => (
        <li key={text}>
          <Link to="/choose" search={search}>
            {text}
          </Link>
        </li>
      ))}
    </ul>
  );
}
