/**
 * Draws the answer of a run: what was found, how certain it is, and the first ranks. The server
 * draws the same markup (backend/api/results/sharing/templates/card.html.jinja).
 */
import type { ReactNode } from 'react';
import { exportUrl } from '@/api/runs';
import type { Answer, AnswerLine, AnswerRow } from '@/api/schema';
import { installationOrigin, isExportedFile } from '@/lib/installation';
import { AnswerMarker } from './AnswerMarker';
import { AnswerMatrix } from './AnswerMatrix';
import { GroupLink } from './GroupLink';

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

interface AnswerLinesProps {
  lines: readonly AnswerLine[];
  onPick: ((group: string) => void) | undefined;
}

/** Draws one line for each scenario, swept value or framework in steps. */
function AnswerLines({ lines, onPick }: AnswerLinesProps) {
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

/** Lists results by rank, with value, interval and ratio to the best. */
function AnswerRows({ rows }: { rows: readonly AnswerRow[] }) {
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

/** Shows the warnings in one line, which opens to the full list. */
function AnswerWarnings({ answer }: { answer: Answer }) {
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

/** A fold for one further entry would save nothing. */
const MOST = 4;
const FIRST = 3;

interface FoldedProps<Item> {
  items: readonly Item[];
  draw: (items: readonly Item[]) => ReactNode;
}

/** Draws the first three items, and the others behind a button; up to four are all drawn. */
function Folded<Item>({ items, draw }: FoldedProps<Item>) {
  const count = items.length > MOST ? FIRST : items.length;
  return (
    <>
      {draw(items.slice(0, count))}
      {items.length > count && (
        <details className="answer-more">
          <summary>{`${items.length - count} more`}</summary>
          {draw(items.slice(count))}
        </details>
      )}
    </>
  );
}
