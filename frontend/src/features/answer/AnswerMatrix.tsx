import type { AnswerMatrix as Matrix } from '@/api/schema';
import { fadeEdges } from '@/components/fade-edges';
import { AnswerMarker } from './AnswerMarker';
import { GroupLink } from './GroupLink';

interface AnswerMatrixProps {
  matrix: Matrix;
  onPick: ((group: string) => void) | undefined;
}

/** Draws the ratios of all frameworks in all scenarios. On a phone it scrolls sideways. */
export function AnswerMatrix({ matrix, onPick }: AnswerMatrixProps) {
  return (
    <section className="answer-matrix" aria-label="All scenarios">
      <div
        ref={fadeEdges}
        className="answer-scroll"
        role="group"
        tabIndex={0}
        aria-label="Ratios by scenario"
      >
        <table>
          <caption>Ratio, or possible range, to the best result of each column</caption>
          <thead>
            <tr>
              <th scope="col">Framework</th>
              {matrix.columns.map(({ group, label }) => (
                <th key={group} scope="col">
                  <GroupLink group={group} onPick={onPick}>
                    {label}
                  </GroupLink>
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
                  <td key={index} data-best={cell.is_best} data-excluded={cell.excluded}>
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
