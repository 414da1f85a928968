/**
 * Exports a figure as a self-contained SVG file: drawings are copied with their computed colours, canvases become images, and text is placed where the browser placed it.
 */
import { markerPath } from '@/components/Marker';
import { SERIES_COUNT } from '@/lib/tokens';
import { type FigureOrigin, type LegendEntry, wrapText } from './figure-text';

/** The text of a picture besides its drawing. */
export interface PictureText {
  title: string;
  origin: FigureOrigin;
  legend: readonly LegendEntry[];
}

const DRAWN = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;
const PADDING = 16;
const TITLE = { size: 16, height: 22 };
const LINE_HEIGHT = 18;
const LEGEND_HEIGHT = 20;
/** Between text and drawing. */
const GAP = 10;
/** Position of the Inter baseline within its line box. */
const BASELINE = 0.8;
const FAMILY = "'Inter Variable', Inter, system-ui, sans-serif";
const XMLNS = 'http://www.w3.org/2000/svg';

interface Origin {
  left: number;
  top: number;
}

/** Return what `draw` returns while elements that pictures leave out take no space. */
function withoutControls<Result>(figure: HTMLElement, draw: () => Result): Result {
  const controls = [...figure.querySelectorAll<HTMLElement>('[data-not-drawn]')];
  const displays = controls.map(({ style }) => style.display);
  for (const { style } of controls) style.display = 'none';
  try {
    return draw();
  } finally {
    controls.forEach(({ style }, index) => {
      style.display = displays[index] ?? '';
    });
  }
}

/** Return the SVG text. `font` is a WOFF2 file as a data URL; colours come from the page's theme. */
export function drawFigure(figure: HTMLElement, text: PictureText, font: string): string {
  return withoutControls(figure, () => drawContent(figure, text, font));
}

function drawContent(figure: HTMLElement, text: PictureText, font: string): string {
  const box = figure.getBoundingClientRect();
  // The title is drawn with the other text.
  const head = figure.querySelector('[data-figure-head]')?.getBoundingClientRect();
  const top = head === undefined ? box.top : head.bottom;
  const width = Math.ceil(box.width) + 2 * PADDING;
  const header = drawHeader(text, figure, width - 2 * PADDING);
  const drawingTop = PADDING + header.height;
  const bottom = drawingTop + Math.ceil(box.bottom - top) + GAP;
  const height = bottom + LINE_HEIGHT + PADDING;
  const origin = { left: box.left - PADDING, top: top - drawingTop };
  const background = getComputedStyle(document.body).backgroundColor;
  return [
    `<svg xmlns="${XMLNS}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FAMILY}">`,
    `<style>@font-face{font-family:'Inter Variable';font-weight:100 900;src:url(${font}) format('woff2')}text{font-variant-numeric:tabular-nums}</style>`,
    `<rect width="100%" height="100%" fill="${background}"/>`,
    ...header.parts,
    ...drawElement(figure, origin),
    drawLink(text.origin.link, figure, bottom),
    '</svg>',
  ].join('\n');
}

interface Header {
  parts: string[];
  height: number;
}

/** Return title, facts and legend, and how high they are. */
function drawHeader(
  { title, origin, legend }: PictureText,
  figure: HTMLElement,
  room: number,
): Header {
  const measure = measurer(figure);
  const { ink, muted } = inksOf(figure);
  const parts: string[] = [];
  let y = PADDING;
  for (const line of wrapText(title, room, (words) => measure(words, TITLE.size, 600))) {
    parts.push(
      textLine(line, y + TITLE.size, `font-size="${TITLE.size}px" font-weight="600" fill="${ink}"`),
    );
    y += TITLE.height;
  }
  const facts = [origin.subject, ...origin.facts].join(' · ');
  for (const line of wrapText(facts, room, (words) => measure(words, 12, 400))) {
    parts.push(textLine(line, y + 12, `font-size="12px" fill="${muted}"`));
    y += LINE_HEIGHT;
  }
  y += GAP;
  const drawn = drawLegend(legend, figure, { top: y, room });
  return { parts: [...parts, ...drawn.parts], height: y + drawn.height - PADDING };
}

function drawLink(link: string, figure: HTMLElement, top: number): string {
  const look = `font-size="12px" fill="${inksOf(figure).muted}"`;
  return `<a href="${escapeXml(link)}">${textLine(link, top + 12, look)}</a>`;
}

function textLine(words: string, baseline: number, look: string): string {
  return `<text x="${PADDING}" y="${baseline}" ${look}>${escapeXml(words)}</text>`;
}

function inksOf(figure: HTMLElement) {
  const style = getComputedStyle(figure);
  return { ink: style.color, muted: style.getPropertyValue('--tacho-ink-muted').trim() };
}

/** Return a function that measures text in the font of the figure. */
function measurer(figure: HTMLElement): (words: string, size: number, weight: number) => number {
  const pen = document.createElement('canvas').getContext('2d');
  const { fontFamily } = getComputedStyle(figure);
  return (words, size, weight) => {
    if (pen === null) return words.length * size * 0.55;
    pen.font = `${weight} ${size}px ${fontFamily}`;
    return pen.measureText(words).width;
  };
}

function drawElement(element: Element, origin: Origin): string[] {
  if (element.hasAttribute('data-not-drawn') || element.hasAttribute('data-figure-head')) return [];
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden') return [];
  // Text for screen readers only.
  if (style.clipPath.startsWith('inset(50%')) return [];
  if (element instanceof SVGSVGElement) return [copyDrawing(element, origin)];
  if (element instanceof HTMLCanvasElement) return [copyCanvas(element, origin)];
  return [...element.childNodes].flatMap((child) => {
    if (child instanceof Element) return drawElement(child, origin);
    return child instanceof Text ? setWords(child, style, origin) : [];
  });
}

function copyDrawing(drawing: SVGSVGElement, origin: Origin): string {
  const box = drawing.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return '';
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  inlineStyles(drawing, copy);
  copy.setAttribute('x', String(box.left - origin.left));
  copy.setAttribute('y', String(box.top - origin.top));
  copy.setAttribute('width', String(box.width));
  copy.setAttribute('height', String(box.height));
  return new XMLSerializer().serializeToString(copy);
}

function inlineStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  to.removeAttribute('style');
  to.removeAttribute('class');
  for (const name of DRAWN) {
    const value = style.getPropertyValue(name);
    // Pattern references must point into this file.
    if (value !== '') to.setAttribute(name, value.replaceAll('"', ''));
  }
  [...from.children].forEach((child, index) => {
    const twin = to.children[index];
    if (twin) inlineStyles(child, twin);
  });
}

function copyCanvas(canvas: HTMLCanvasElement, origin: Origin): string {
  const box = canvas.getBoundingClientRect();
  if (box.width === 0 || canvas.width === 0) return '';
  const at = `x="${box.left - origin.left}" y="${box.top - origin.top}"`;
  return `<image ${at} width="${box.width}" height="${box.height}" href="${canvas.toDataURL()}"/>`;
}

/** Return one `<text>` per line as the browser broke them. */
function setWords(text: Text, style: CSSStyleDeclaration, origin: Origin): string[] {
  const lines: { words: string; left: number; top: number; height: number }[] = [];
  const range = document.createRange();
  for (const match of text.data.matchAll(/\S+/g)) {
    range.setStart(text, match.index);
    range.setEnd(text, match.index + match[0].length);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const line = lines.at(-1);
    if (line && Math.abs(line.top - box.top) < 2) line.words += ` ${match[0]}`;
    else lines.push({ words: match[0], left: box.left, top: box.top, height: box.height });
  }
  return lines.map(({ words, left, top, height }) => {
    const at = `x="${left - origin.left}" y="${top - origin.top + height * BASELINE}"`;
    const looks = `font-size="${style.fontSize}" font-weight="${style.fontWeight}"`;
    return `<text ${at} ${looks} fill="${style.color}">${escapeXml(words)}</text>`;
  });
}

/** Return the legend in rows that fit. */
function drawLegend(
  legend: readonly LegendEntry[],
  figure: HTMLElement,
  { top, room }: { top: number; room: number },
): Header {
  const measure = measurer(figure);
  const { ink } = inksOf(figure);
  const parts: string[] = [];
  let [x, y] = [0, top];
  for (const { name, colour, dash } of legend) {
    const dashWidth = dash === undefined ? 0 : 29;
    const entryWidth = dashWidth + 17 + measure(name, 12, 400);
    if (x > 0 && x + entryWidth > room) [x, y] = [0, y + LEGEND_HEIGHT];
    const hue = getComputedStyle(figure)
      .getPropertyValue(`--tacho-series-${colour % SERIES_COUNT}`)
      .trim();
    const left = PADDING + x;
    if (dash !== undefined) {
      const ends = `x1="${left}" x2="${left + 24}" y1="${y + 6}" y2="${y + 6}"`;
      parts.push(`<line ${ends} stroke="${hue}" stroke-width="2" stroke-dasharray="${dash}"/>`);
    }
    parts.push(
      `<path d="${markerPath(colour)}" transform="translate(${left + dashWidth} ${y})" fill="${hue}"/>`,
      `<text x="${left + dashWidth + 17}" y="${y + 10}" font-size="12px" fill="${ink}">${escapeXml(name)}</text>`,
    );
    x += entryWidth + 18;
  }
  return { parts, height: legend.length === 0 ? 0 : y - top + LEGEND_HEIGHT + GAP };
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
