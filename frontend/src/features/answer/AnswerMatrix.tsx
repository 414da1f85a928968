import { useState } from 'react';
import type { AnswerMatrix as Matrix } from '@/api/schema';
import { fadeEdges } from '@/components/fade-edges';
import { AnswerMarker } from './AnswerMarker';
import { GroupLink } from './GroupLink';

interface AnswerMatrixProps {
  matrix: Matrix;
  onPick: ((group: string) => void) | undefined;
}

/** Draws the ratios of all frameworks in all scenarios. A phone shows the chosen column. */
export function AnswerMatrix({ matrix, onPick }: AnswerMatrixProps) {
  const [shown, setShown] = useState(0);
  return (
    <section className="answer-matrix" aria-label="All scenarios">
      <label className="answer-column">
        Column{' '}
        <select value={shown} onChange={(event) => setShown(Number(event.currentTarget.value))}>
          {matrix.columns.map(({ group, label }, index) => (
            <option key={group} value={index}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div
        ref={fadeEdges}
        className="answer-scroll"
        role="group"
        tabIndex={0}
        aria-label="Ratios by scenario"
      >
        <table>
          <caption>How much worse than the best of each column</caption>
          <thead>
            <tr>
              <th scope="col">Framework</th>
              {matrix.columns.map(({ group, label, metric_title: title, direction }, index) => (
                <th key={group} scope="col" data-shown={index === shown}>
                  <GroupLink group={group} onPick={onPick}>
                    {label}
                  </GroupLink>{' '}
                  <span className="answer-of">{`${title}, ${direction} is better`}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.rows.map((row) => (
              <tr key={row.framework}>
                <th scope="row">
                  <span className="answer-name">
                    <AnswerMarker colour={row.colour} />
                    {row.name}
                  </span>
                </th>
                {row.cells.map((cell, index) => (
                  <td
                    key={index}
                    data-shown={index === shown}
                    data-best={cell.is_best}
                    data-excluded={cell.excluded}
                    data-level={cell.level}
                  >
                    {cell.text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
