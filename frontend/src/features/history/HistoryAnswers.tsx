import { Link } from '@tanstack/react-router';
import type { HistoryAnswerOut } from '@/api/schema';
import classes from './HistoryAnswers.module.css';

/** Shows for each framework whether it became faster or slower, since when, and how certain that is. */
export function HistoryAnswers({ answers }: { answers: readonly HistoryAnswerOut[] }) {
  const isAlone = answers.length === 1;
  return (
    <ul className={classes.answers} aria-label="Answer">
      {answers.map((answer) => (
        <li key={answer.framework} data-better={answer.is_better}>
          {isAlone ? (
            <h2 className={classes.headline}>{answer.headline}</h2>
          ) : (
            <strong>{answer.headline}.</strong>
          )}
          <p className={classes.text}>
            {(isAlone ? answer.sentences : answer.sentences.slice(0, 2)).join(' ')}
            {answer.change_id !== null && (
              <>
                {' '}
                <Link to="/changes/$id" params={{ id: answer.change_id }}>
                  Open the change
                </Link>
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}
