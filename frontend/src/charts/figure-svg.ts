/**
 * Exports a figure as a self-contained SVG file: drawings are copied with their computed colours, canvases become images, and text is placed where the browser placed it.
 */
import { markerPath } from '@/components/Marker';

export interface LegendEntry {
  name: string;
  colour: number;
  /** Drawn next to the marker, if it distinguishes lines of one colour. */
  dash?: string | undefined;
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
const LEGEND_HEIGHT = 24;
/** Position of the Inter baseline within its line box. */
const BASELINE = 0.8;
const FAMILY = "'Inter Variable', Inter, system-ui, sans-serif";
const XMLNS = 'http://www.w3.org/2000/svg';

interface Origin {
  left: number;
  top: number;
}

/** Attribute of elements that are left out of the picture, such as buttons. */
export const NOT_DRAWN = { 'data-not-drawn': true } as const;

/** Return the SVG text. `font` is a WOFF2 file as a data URL; colours come from the page's theme. */
export function drawFigure(
  figure: HTMLElement,
  legend: readonly LegendEntry[],
  font: string,
): string {
  const box = figure.getBoundingClientRect();
  const extra = legend.length > 0 ? LEGEND_HEIGHT : 0;
  const width = Math.ceil(box.width) + 2 * PADDING;
  const height = Math.ceil(box.height) + 2 * PADDING + extra;
  const origin = { left: box.left - PADDING, top: box.top - PADDING - extra };
  const background = getComputedStyle(document.body).backgroundColor;
  return [
    `<svg xmlns="${XMLNS}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FAMILY}">`,
    `<style>@font-face{font-family:'Inter Variable';font-weight:100 900;src:url(${font}) format('woff2')}text{font-variant-numeric:tabular-nums}</style>`,
    `<rect width="100%" height="100%" fill="${background}"/>`,
    drawLegend(legend, figure),
    ...drawElement(figure, origin),
    '</svg>',
  ].join('\n');
}

function drawElement(element: Element, origin: Origin): string[] {
  if (element.hasAttribute('data-not-drawn')) return [];
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

/** Return the legend as one row above the figure. */
function drawLegend(legend: readonly LegendEntry[], figure: HTMLElement): string {
  const style = getComputedStyle(figure);
  const pen = document.createElement('canvas').getContext('2d');
  if (pen) pen.font = `12px ${style.fontFamily}`;
  let x = PADDING;
  return legend
    .map(({ name, colour, dash }) => {
      const fill = style.getPropertyValue(`--tacho-series-${colour % 12}`).trim();
      const entry: string[] = [];
      if (dash !== undefined) {
        const ends = `x1="${x}" x2="${x + 24}" y1="${PADDING + 6}" y2="${PADDING + 6}"`;
        entry.push(`<line ${ends} stroke="${fill}" stroke-width="2" stroke-dasharray="${dash}"/>`);
        x += 29;
      }
      entry.push(
        `<path d="${markerPath(colour)}" transform="translate(${x} ${PADDING})" fill="${fill}"/>`,
        `<text x="${x + 17}" y="${PADDING + 10}" font-size="12px" fill="${style.color}">${escapeXml(name)}</text>`,
      );
      x += 17 + (pen?.measureText(name).width ?? name.length * 7) + 18;
      return entry.join('');
    })
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
