/** Lists what a screen reader reads of the answer card, in its order; for tests. */

/** The words that it announces before the content of these elements, by their implicit roles. */
const OPENED: Record<string, string> = {
  ARTICLE: 'article',
  UL: 'list',
  OL: 'list',
  LI: 'listitem',
  TABLE: 'table',
  TR: 'row',
  SECTION: 'region',
  SELECT: 'combobox',
};
/** Elements that it announces as a whole: their role and their text. */
const WHOLE: Record<string, string> = {
  H1: 'heading 1',
  A: 'link',
  BUTTON: 'button',
  SUMMARY: 'button',
  OPTION: 'option',
  CAPTION: 'caption',
  TH: 'header',
  TD: 'cell',
};

/** Return a line for each role with its name, and for each other text. */
export function spokenOf(parent: Element): string[] {
  return [...parent.childNodes].flatMap((node) => {
    const text = (node.textContent ?? '').replaceAll(/[ \n]+/g, ' ').trim();
    if (!(node instanceof Element)) return text === '' ? [] : [text];
    if (node.tagName === 'STYLE' || node.getAttribute('aria-hidden') === 'true') return [];
    const whole = WHOLE[node.tagName];
    if (whole !== undefined) return [`${whole}: ${text}`];
    const role = node.getAttribute('role') ?? OPENED[node.tagName];
    if (role === undefined) return spokenOf(node);
    const name = node.getAttribute('aria-label');
    return [name === null ? role : `${role}: ${name}`, ...spokenOf(node)];
  });
}
