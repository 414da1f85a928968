/** Formats ratios of new over old. */
import { formatFigure } from './format';

interface Ratio {
  ratio: number;
  low: number | null;
  high: number | null;
}

/** `1.08×`. */
export function formatRatio(ratio: number): string {
  return `${formatFigure(ratio)}×`;
}

/** `[1.05, 1.11]`; null where no interval exists. */
export function formatRatioInterval({ low, high }: Ratio): string | null {
  return low === null || high === null ? null : `[${formatFigure(low)}, ${formatFigure(high)}]`;
}

/** Divides `1.54× [1.50, 1.58]` into figure and interval, which is null if the text has none. */
export function splitInterval(text: string): { figure: string; interval: string | null } {
  const start = text.indexOf(' [');
  if (start === -1) return { figure: text, interval: null };
  return { figure: text.slice(0, start), interval: text.slice(start + 1) };
}
