/** The text around a saved or copied figure: title, run, facts and link; pure. */
import { type ChartTable, toMarkdown } from '@/lib/table-files';

export interface LegendEntry {
  name: string;
  colour: number;
  /** Drawn next to the marker, if it distinguishes lines of one colour. */
  dash?: string | undefined;
}

/** The subject of a figure, for readers who do not see the page around it. */
export interface FigureOrigin {
  /** Title of the run, or what was compared. */
  subject: string;
  /** Host, load, number of trials and date. */
  facts: readonly string[];
  /** Full address of the page. */
  link: string;
}

/** `n = 5`, or `n = 3 to 5` if some results have fewer trials. */
export function describeTrialCounts(counts: readonly number[]): string {
  if (counts.length === 0) return 'n = 0';
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `n = ${most}` : `n = ${least} to ${most}`;
}

/** Return a figure as Markdown: title, facts, a table in the format of the page, and the link. */
export function figureMarkdown(title: string, origin: FigureOrigin, summary: ChartTable): string {
  const { subject, facts, link } = origin;
  return [
    `**${plain(title)}**`,
    '',
    [subject, ...facts].map(plain).join(' · '),
    '',
    toMarkdown(summary),
    `[${plain(subject)}](${link})`,
    '',
  ].join('\n');
}

/** Escape what Markdown would read as formatting. */
function plain(text: string): string {
  return text.replaceAll(/[\\[\]*_`<|]/g, '\\$&');
}

/** Return the lines into which text breaks at spaces, given the width of a text. */
export function wrapText(text: string, room: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last === undefined || widthOf(longer) > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
