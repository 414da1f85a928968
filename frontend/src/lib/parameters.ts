/** Formats identifiers of parameters for people. */
import { formatFigure, words } from './format';

const UNITS: Record<string, string> = {
  ms: 'ms',
  seconds: 's',
  rps: 'req/s',
  bytes: 'B',
  characters: 'characters',
};

/** Return title and unit: `delay_ms` is `Delay` in `ms`; counts have no unit. */
export function describeParameter(name: string): { title: string; unit: string } {
  const cut = name.lastIndexOf('_');
  const unit = UNITS[name.slice(cut + 1)];
  const title = words(unit === undefined ? name : name.slice(0, cut));
  return { title: title.charAt(0).toUpperCase() + title.slice(1), unit: unit ?? '' };
}

/** `500 ms`, `100 connections`. */
export function showParameter(name: string, value: number): string {
  const { title, unit } = describeParameter(name);
  return `${formatFigure(value)} ${unit === '' ? title.toLowerCase() : unit}`;
}
