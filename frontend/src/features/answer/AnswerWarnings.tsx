import type { Answer } from '@/api/schema';

/** Shows the warnings in one line, which opens to the full list. */
export function AnswerWarnings({ answer }: { answer: Answer }) {
  const { outcome, reason, warnings } = answer;
  const summary =
    outcome !== 'not_usable' && reason
      ? reason
      : warnings.map((warning) => warning.summary).join(' ');
  return (
    <details className="answer-warnings">
      <summary>{summary}</summary>
      <ul>
        {warnings.map((warning) => (
          <li key={warning.summary}>
            <strong>{warning.summary}</strong>
            {warning.results.length > 0 && (
              <>
                {' '}
                <span>{warning.results.join(', ')}</span>
              </>
            )}
            {warning.details.map((detail) => (
              <p key={detail}>{detail}</p>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
