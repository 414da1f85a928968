/**
 * All colours of the interface for both themes; no other file defines colours.
 * `cssVariables` turns them into custom properties, which CSS and SVG read alike.
 */

export type Scheme = 'light' | 'dark';

interface Palette {
  background: string;
  surface: string;
  raised: string;
  line: string;
  lineStrong: string;
  ink: string;
  inkMuted: string;
  inkFaint: string;
  accent: string;
  accentInk: string;
  accentSoft: string;
  good: string;
  goodSoft: string;
  warn: string;
  warnSoft: string;
  bad: string;
  badSoft: string;
  caution: string;
  cautionSoft: string;
  warmUp: string;
  needle: string;
  /** Okabe–Ito extended to 12: distinguishable with each kind of colour blindness (tokens.test.ts). */
  series: readonly string[];
}

export const PALETTES: Record<Scheme, Palette> = {
  light: {
    background: '#ffffff',
    surface: '#f6f7f8',
    raised: '#ffffff',
    line: '#e3e6e9',
    lineStrong: '#8d959d',
    ink: '#16191c',
    inkMuted: '#555d65',
    inkFaint: '#686f77',
    accent: '#1f5fd0',
    accentInk: '#ffffff',
    accentSoft: '#e8f0fd',
    good: '#1a7341',
    goodSoft: '#e5f4eb',
    warn: '#8a5a00',
    warnSoft: '#fdf3dc',
    bad: '#b3261e',
    badSoft: '#fdeceb',
    caution: '#6b3fa0',
    cautionSoft: '#f2ebfa',
    warmUp: '#eef0f2',
    needle: '#d9480f',
    series: [
      '#005add',
      '#e76316',
      '#0f6d4a',
      '#90007b',
      '#764300',
      '#0096cc',
      '#711a9a',
      '#414954',
      '#bc616b',
      '#63712e',
      '#b17f55',
      '#25828e',
    ],
  },
  dark: {
    background: '#0f1214',
    surface: '#171b1e',
    raised: '#1c2124',
    line: '#2a3035',
    lineStrong: '#69727b',
    ink: '#eceff1',
    inkMuted: '#a7b0b8',
    inkFaint: '#8b949c',
    accent: '#82aaff',
    accentInk: '#0d1420',
    accentSoft: '#1b2740',
    good: '#5fd08b',
    goodSoft: '#14291d',
    warn: '#f0b94a',
    warnSoft: '#2e2410',
    bad: '#ff8a80',
    badSoft: '#341816',
    caution: '#c4a3f5',
    cautionSoft: '#261c36',
    warmUp: '#1a1f23',
    needle: '#ff8a4c',
    series: [
      '#177cf5',
      '#e45434',
      '#aaedb8',
      '#cb49a0',
      '#fdaf27',
      '#51c2ff',
      '#9670d0',
      '#adb2b7',
      '#b4697d',
      '#d1dc6e',
      '#c69867',
      '#38f1f4',
    ],
  },
};

export const SERIES_COUNT = 12;

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `--tacho-ink`, `--tacho-series-0` … of one theme. */
export function cssVariables(scheme: Scheme): Record<string, string> {
  const { series, ...plain } = PALETTES[scheme];
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(plain)) variables[`--tacho-${kebab(name)}`] = value;
  series.forEach((value, index) => (variables[`--tacho-series-${index}`] = value));
  return variables;
}

/**
 * Return the hue of a framework. Frameworks that are usually compared have different ones
 * (backend/core/catalog/colours.py).
 */
export function seriesColour(index: number): string {
  return `var(--tacho-series-${index % SERIES_COUNT})`;
}

export const SHAPES = ['circle', 'triangle', 'square', 'diamond', 'cross', 'star'] as const;
export type Shape = (typeof SHAPES)[number];

/** Return the marker shape. A second round of hues is shifted, so that no pair repeats. */
export function seriesShape(index: number): Shape {
  const round = Math.floor(index / SERIES_COUNT);
  return SHAPES[(index + round) % SHAPES.length] ?? 'circle';
}

const DASHES = ['none', '6 3', '2 3', '9 3 2 3'] as const;

/**
 * Return the SVG dash of the `nth` line of one framework, from 0; the first is solid. Lines of one framework share colour and marker.
 */
export function seriesDash(nth: number): string | undefined {
  return nth === 0 ? undefined : DASHES[nth % DASHES.length];
}
