/** Formats numbers: three significant figures, a narrow space and the unit. */

/** Narrow, and no line breaks at it. Before symbols. */
const THIN = '\u202f';
/** Before words: with a narrow space, `5 trials` reads as one word. */
const NO_BREAK = '\u00a0';
/** A unit that is a word, such as `characters`; symbols are shorter. */
const WORD = /^[a-z]{4,}$/;
const MINUS = '\u2212';

/** A figure and its unit, separate so that tables can align the figure. */
export interface Quantity {
  figure: string;
  unit: string;
}

interface Scale {
  factor: number;
  unit: string;
}

const SI: readonly [number, string][] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
const BINARY: readonly [number, string][] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** Return three significant figures without an exponent; whole numbers stay whole. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-6) return '≈ 0';
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(size))));
  const rounded = Number(value.toPrecision(3));
  const text = Number.isInteger(value) && size < 1000 ? String(value) : rounded.toFixed(digits);
  return groupThousands(text).replace('-', MINUS);
}

function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `500 000 B`: a whole number with all its digits, in its own unit. */
export function formatWhole(digits: string, unit: string): string {
  return joinUnit(groupThousands(digits), unit);
}

function joinUnit(figure: string, unit: string): string {
  return unit === '' ? figure : `${figure}${WORD.test(unit) ? NO_BREAK : THIN}${unit}`;
}

/** Return the display unit for a value, and its size in `unit`. */
export function scaleOf(value: number, unit: string): Scale {
  const size = Math.abs(value);
  switch (unit) {
    case 'B': {
      const [factor, name] = BINARY.find(([f]) => size >= f) ?? [1, 'B'];
      return { factor, unit: name };
    }
    case 'req/s': {
      const [factor, prefix] = SI.find(([f]) => size >= Math.max(f, 1e4)) ?? [1, ''];
      return { factor, unit: prefix === '' ? 'req/s' : `${prefix}${THIN}req/s` };
    }
    case 'ms':
      if (size >= 1e4) return { factor: 1e3, unit: 's' };
      return size > 0 && size < 0.1 ? { factor: 1e-3, unit: 'µs' } : { factor: 1, unit: 'ms' };
    case 'µs':
      return size >= 1e4 ? { factor: 1e3, unit: 'ms' } : { factor: 1, unit: 'µs' };
    case 'share':
      return { factor: 0.01, unit: '%' };
    default:
      return { factor: 1, unit };
  }
}

export function formatQuantity(value: number, unit: string): Quantity {
  const scale = scaleOf(value, unit);
  return { figure: formatFigure(value / scale.factor), unit: scale.unit };
}

/** Return a figure without trailing zeros, for the ticks of an axis. */
export function formatTick(value: number): string {
  const figure = formatFigure(value);
  return figure.includes('.') ? figure.replace(/\.?0+$/, '') : figure;
}

/** Return a tick with as many decimals as its distance to the next tick needs. */
export function formatTickApart(value: number, step: number): string {
  const decimals = [0, 1, 2, 3, 4, 5].find((many) => isWhole(step * 10 ** many)) ?? 6;
  return groupThousands(value.toFixed(decimals));
}

/** Return whether a value is whole and at least 1, up to rounding errors. */
function isWhole(value: number): boolean {
  return Math.round(value) > 0 && Math.abs(value - Math.round(value)) < 1e-6;
}

/** `12.4 ms`. */
export function formatValue(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return '–';
  const { figure, unit: shown } = formatQuantity(value, unit);
  return joinUnit(figure, shown);
}

/** `0.98 min`: a value in exactly this unit. */
export function formatExact(value: number, unit: string): string {
  return joinUnit(formatFigure(value), unit);
}

/** `[60, 63]` in the unit the estimate is shown in; null where no interval exists. */
export function formatInterval(
  estimate: number,
  low: number | null | undefined,
  high: number | null | undefined,
  unit: string,
): string | null {
  if (low === null || low === undefined || high === null || high === undefined) return null;
  const { factor } = scaleOf(estimate, unit);
  return `[${formatFigure(low / factor)}, ${formatFigure(high / factor)}]`;
}

/** `61, 64 µs`: some values in the unit in which the first is shown. */
export function formatValues(values: readonly [number, ...number[]], unit: string): string {
  const { factor, unit: shown } = scaleOf(values[0], unit);
  const figures = values.map((value) => formatFigure(value / factor)).join(', ');
  return joinUnit(figures, shown);
}

/** `(60 – 63)` in the unit the value is shown in, for a range that is not an interval. */
export function formatRange(value: number, low: number, high: number, unit: string): string {
  const { factor } = scaleOf(value, unit);
  return `(${formatFigure(low / factor)} – ${formatFigure(high / factor)})`;
}

/** `61.2 µs [60, 63]`; without an interval, only the value. */
export function formatEstimate(
  found:
    | {
        estimate: number;
        low?: number | null;
        high?: number | null;
        unit: string;
        is_bound?: boolean;
      }
    | undefined,
): string {
  if (found === undefined) return '–';
  const { estimate, low, high, unit, is_bound: isBound = false } = found;
  const value = `${isBound ? 'at least ' : ''}${formatValue(estimate, unit)}`;
  return [value, formatInterval(estimate, low, high, unit)]
    .filter((part) => part !== null)
    .join(' ');
}

/** `8 s`, `2 min 10 s`, `1 h 05 min`; tenths below ten seconds only where `precise`. */
export function formatDuration(seconds: number, precise = false): string {
  if (precise && seconds < 10) return `${seconds.toFixed(1)}${THIN}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${THIN}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) {
    const rest = whole % 60;
    return `${minutes}${THIN}min` + (rest > 0 && minutes < 10 ? ` ${rest}${THIN}s` : '');
  }
  const rest = Math.round((whole - Math.floor(whole / 3600) * 3600) / 60) % 60;
  return `${Math.floor(whole / 3600)}${THIN}h` + (rest > 0 ? ` ${rest}${THIN}min` : '');
}

const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** `20 Nov 2026` in the reader's time zone. */
export function formatDay(iso: string): string {
  return DAY.format(new Date(iso));
}

/** `20 Nov 2026, 18:40` in the reader's time zone. */
export function formatDateTime(iso: string): string {
  return DATE_TIME.format(new Date(iso));
}

/** `just now`, `4 min ago`, `3 h ago`, then the date. */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))}${THIN}min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)}${THIN}h ago`;
  return formatDateTime(iso);
}

/** `1 to 20 000 req/s`, exact. */
export function formatBounds(minimum: number, maximum: number, unit = ''): string {
  const [least, most] = [minimum, maximum].map((bound) => groupThousands(String(bound)));
  return joinUnit(`${least ?? ''} to ${most ?? ''}`, unit);
}

/** `10 000`. */
export function formatAmount(count: number): string {
  return groupThousands(String(count));
}

/** `3 trials`, `1 trial`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatAmount(count)}${NO_BREAK}${count === 1 ? noun : plural}`;
}

/** `generator_saturated` → `generator saturated`, `cpu_model` → `CPU model`. */
export function words(identifier: string): string {
  return identifier
    .replaceAll('_', ' ')
    .replace(/\bcpu\b/, 'CPU')
    .replace(/\blittles\b/, 'Little’s');
}

const TERMINAL_CODE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Return a log without terminal colour codes. */
export function stripTerminalCodes(text: string): string {
  return text.replace(TERMINAL_CODE, '');
}

/** An interval: its comma does not separate items. */
/** Returns a text whose last word, if it is a ratio, stays on one line with the word before it. */
export function keepRatio(text: string): string {
  return text.replace(/ (?=[\d.,\u202f]+×$)/, '\u00a0');
}

const IN_BRACKETS = /\[[^\]]*\]|\([^)]*\)/g;

/** `A`, `A and B`, `A, B and C`; where an item holds a comma, `A; B, an instance; and C`. */
export function joinWords(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? '';
  if (items.some((item) => item.replace(IN_BRACKETS, '').includes(','))) {
    return `${items.slice(0, -1).join('; ')}; and ${items.at(-1) ?? ''}`;
  }
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
