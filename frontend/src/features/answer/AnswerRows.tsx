import type { AnswerRow } from '@/api/schema';
import { AnswerMarker } from './AnswerMarker';

/** Lists results by rank, with value, interval and ratio to the best. */
export function AnswerRows({ rows }: { rows: readonly AnswerRow[] }) {
  return (
    <ol className="answer-rows" role="list">
      {rows.map((row) => (
        <li key={row.cell_id} className="answer-row">
          <span className="answer-rank">{row.rank}</span>{' '}
          <span className="answer-name">
            <AnswerMarker colour={row.colour} />
            {row.name}
          </span>{' '}
          <span className="answer-value">{row.value}</span>{' '}
          <span className="answer-interval">
            {row.interval ?? (row.values === row.value ? null : row.values)}
          </span>{' '}
          <span className="answer-comparison">{row.comparison}</span>
        </li>
      ))}
    </ol>
  );
}
