import type { AnswerLine } from '@/api/schema';
import { GroupLink } from './GroupLink';

interface AnswerLinesProps {
  lines: readonly AnswerLine[];
  onPick: ((group: string) => void) | undefined;
}

/** Draws one line for each scenario, swept value or framework in steps. */
export function AnswerLines({ lines, onPick }: AnswerLinesProps) {
  return (
    <ul className="answer-lines" role="list">
      {lines.map((line) => (
        <li key={`${line.group} ${line.label}`} className="answer-line">
          <GroupLink group={line.group} className="answer-label" onPick={onPick}>
            {line.label}
          </GroupLink>{' '}
          <span className="answer-sentence">{line.sentence}</span>
        </li>
      ))}
    </ul>
  );
}
