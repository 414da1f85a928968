/**
 * Draws the answer of a run: what was found, how certain it is, and the first ranks. The server
 * draws the same markup (backend/api/results/sharing/templates/card.html.jinja).
 */
import type { ReactNode } from 'react';
import { exportUrl } from '@/api/runs';
import type { Answer } from '@/api/schema';
import { installationOrigin, isExportedFile } from '@/lib/installation';
import { AnswerLines } from './AnswerLines';
import { AnswerMatrix } from './AnswerMatrix';
import { AnswerRows } from './AnswerRows';
import { AnswerWarnings } from './AnswerWarnings';
import { Folded } from './Folded';

interface AnswerCardProps {
  answer: Answer;
  /** Shown next to the title instead of the links to the data. */
  actions?: ReactNode;
  /** Shown instead of a remedy that has no page. */
  start?: ReactNode;
  /** Shows a group of the run. Without it, a link reloads the page with the group. */
  onPick?: ((group: string) => void) | undefined;
}

export function AnswerCard({ answer, actions, start, onPick }: AnswerCardProps) {
  const { outcome, reason, sentences, remedy, warnings, lines, rows, matrix } = answer;
  // The links of an exported file lead to its installation.
  const origin = isExportedFile() ? installationOrigin() : '';
  return (
    <>
      <article className="answer">
        <div className="answer-top">
          <p className="answer-title" title={answer.title}>
            {answer.title}
          </p>
          <div className="answer-actions">
            {actions ?? <DataLinks origin={origin} slug={answer.slug} />}
          </div>
        </div>
        <h1 className="answer-headline">{answer.headline}</h1>
        <p className="answer-facts">{answer.facts.join(' · ')}</p>
        {outcome === 'not_usable' && reason ? <p className="answer-reason">{reason}</p> : null}
        {sentences.length > 0 && <p className="answer-sentences">{sentences.join(' ')}</p>}
        {remedy && (
          <div className="answer-remedy">
            {remedy.page ? (
              <a className="answer-button" href={origin + remedy.page}>
                {remedy.label}
              </a>
            ) : (
              (start ?? `${remedy.label}.`)
            )}
          </div>
        )}
        {warnings.length > 0 && <AnswerWarnings answer={answer} />}
        {lines.length > 0 && (
          <Folded items={lines} draw={(items) => <AnswerLines lines={items} onPick={onPick} />} />
        )}
        {rows.length > 0 && (
          <>
            {answer.metric_title ? <p className="answer-metric">{titleRows(answer)}</p> : null}
            <Folded items={rows} draw={(items) => <AnswerRows rows={items} />} />
          </>
        )}
      </article>
      {matrix && <AnswerMatrix matrix={matrix} onPick={onPick} />}
    </>
  );
}

/** Return the metric of the rows; if the run has several groups, also which one they are of. */
function titleRows({ kind, lines, group, metric_title: title }: Answer): string {
  const line = lines.find((line) => line.group === group);
  const isOfGroups = kind === 'scenarios' || kind === 'sweep';
  return isOfGroups && line ? `${title ?? ''} · ${line.label}` : (title ?? '');
}

function DataLinks({ origin, slug }: { origin: string; slug: string }) {
  return (
    <>
      <a href={origin + exportUrl(slug, 'json')} download>
        JSON
      </a>{' '}
      <a href={origin + exportUrl(slug, 'csv')} download>
        CSV
      </a>
    </>
  );
}
