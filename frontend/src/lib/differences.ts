/** Describes the differences between the conditions of two results; pure. */
import { formatWhole, words } from './format';
import { describeParameter } from './parameters';

interface Difference {
  subject: string;
  baseline: string;
  other: string;
}

const WHOLE = /^\d+$/;
/** Their values are digests of files. */
const OF_SOURCES = new Set(['framework', 'scenario']);

/** `parameters.rate_rps` → `rate`, `host.cpu_model` → `host cpu model`. */
export function nameSubject(subject: string): string {
  if (OF_SOURCES.has(subject)) return `${subject} source`;
  const [group = '', ...rest] = subject.split('.');
  if (group === 'parameters') return describeParameter(rest.join('.')).title.toLowerCase();
  return words([group, ...rest].join(' '));
}

/** `rate 100 req/s instead of 300 req/s`. */
export function describeDifference({ subject, baseline, other }: Difference): string {
  const isParameter = subject.startsWith('parameters.');
  const unit = isParameter ? describeParameter(subject.slice('parameters.'.length)).unit : '';
  const show = (value: string) =>
    isParameter && WHOLE.test(value) ? formatWhole(value, unit) : value;
  return `${nameSubject(subject)} ${show(other)} instead of ${show(baseline)}`;
}
