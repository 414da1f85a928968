/** Formats ratios of new over old, and differences of shares. */
import { formatFigure, formatPoints } from './format';

interface Ratio {
  ratio: number;
  low: number | null;
  high: number | null;
}

interface Compared {
  /** Null for shares. */
  ratio: number | null;
  /** Of shares; null for other metrics. */
  difference?: number | null | undefined;
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

/** `1.08×` and `[1.05, 1.11]`, or `−2.10 pp` and `[−3.00, −1.20]`; no interval with few trials. */
export function formatComparison({ ratio, difference, low, high }: Compared): {
  figure: string;
  interval: string | null;
} {
  if (ratio !== null) {
    return { figure: formatRatio(ratio), interval: formatRatioInterval({ ratio, low, high }) };
  }
  return {
    figure: `${formatPoints(difference ?? 0)}\u202fpp`,
    interval:
      low === null || high === null ? null : `[${formatPoints(low)}, ${formatPoints(high)}]`,
  };
}
