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
