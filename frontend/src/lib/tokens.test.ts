import { describe, expect, it } from 'vitest';
import nearHues from './near-hues.json';
import {
  cssVariables,
  PALETTES,
  SERIES_COUNT,
  seriesDash,
  seriesShape,
  type Scheme,
} from './tokens';

type Triple = [number, number, number];

const channels = (hex: string): Triple => [
  parseInt(hex.slice(1, 3), 16) / 255,
  parseInt(hex.slice(3, 5), 16) / 255,
  parseInt(hex.slice(5, 7), 16) / 255,
];
const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const linearRgb = (hex: string) => channels(hex).map(linear) as Triple;

/** WCAG 2.2 contrast ratio. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r, g, blue] = linearRgb(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** CIE L*a*b* (D65) from linear RGB. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Machado, Oliveira, Fernandes 2009, severity 1. */
const SIGHT: Record<string, [Triple, Triple, Triple]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(hex: string, sight: [Triple, Triple, Triple]): Triple {
  const rgb = linearRgb(hex);
  const mixed = sight.map((row) =>
    Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])),
  );
  return lab(mixed as Triple);
}

const distance = (a: Triple, b: Triple) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe.each(['light', 'dark'] satisfies Scheme[])('%s theme', (scheme) => {
  const palette = PALETTES[scheme];

  it('draws every series at 3:1 or more against page and surface', () => {
    for (const colour of palette.series) {
      expect(contrast(colour, palette.background), colour).toBeGreaterThanOrEqual(3);
      expect(contrast(colour, palette.surface), colour).toBeGreaterThanOrEqual(3);
    }
  });

  it('writes text and verdicts at 4.5:1 or more', () => {
    const { ink, inkMuted, inkFaint, accent } = palette;
    for (const text of [ink, inkMuted, inkFaint, accent]) {
      expect(contrast(text, palette.background), text).toBeGreaterThanOrEqual(4.5);
      expect(contrast(text, palette.surface), text).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(palette.accentInk, accent)).toBeGreaterThanOrEqual(4.5);
    for (const name of ['good', 'warn', 'bad', 'caution'] as const) {
      expect(contrast(palette[name], palette[`${name}Soft`]), name).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(Object.entries(SIGHT))('keeps twelve series apart with %s', (_, sight) => {
    const colours = palette.series.map((hex) => seen(hex, sight));
    colours.forEach((colour, i) => {
      for (const other of colours.slice(i + 1)) expect(distance(colour, other)).toBeGreaterThan(10);
    });
  });

  it('gives a variable for each of the twelve series', () => {
    const names = Object.keys(cssVariables(scheme)).filter((n) => n.startsWith('--tacho-series-'));
    expect(names).toHaveLength(SERIES_COUNT);
  });
});

it('never repeats colour and shape together among 72 frameworks', () => {
  const looks = Array.from({ length: 72 }, (_, i) => `${i % SERIES_COUNT} ${seriesShape(i)}`);
  expect(new Set(looks).size).toBe(72);
});

it('gives four lines of one framework four dashes', () =>
  expect([0, 1, 2, 3].map(seriesDash)).toEqual([undefined, '6 3', '2 3', '9 3 2 3']));

it('lists the hues that people confuse, which the server keeps apart', () => {
  const NEAREST = 28;
  const normal = SIGHT.normal;
  if (!normal) throw new Error('no normal sight');
  const areNear = (a: number, b: number) =>
    Object.values(PALETTES).some(({ series }) => {
      const [one, other] = [series[a], series[b]].map((hex) => seen(hex ?? '', normal));
      return one !== undefined && other !== undefined && distance(one, other) < NEAREST;
    });
  const places = Array.from({ length: SERIES_COUNT }, (_, i) => i);
  const near = places.flatMap((a) =>
    places.filter((b) => b > a && areNear(a, b)).map((b) => [a, b]),
  );
  expect(near).toEqual(nearHues);
});
