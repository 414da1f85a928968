/** Describes a cell's load in a few words. */
import { formatCount, formatFigure } from './format';

interface Load {
  kind: 'rate' | 'users' | 'saturate' | 'steps' | 'count' | 'script';
  parameters: Record<string, number>;
}

/** Return the kind of a profile, recognised by its specific parameter. */
export function kindOf(parameters: Record<string, number>): Load['kind'] {
  if (parameters.users !== undefined) return 'users';
  if (parameters.steps !== undefined) return 'steps';
  if (parameters.requests !== undefined) return 'count';
  if (parameters.connections !== undefined) return 'saturate';
  return parameters.rate_rps === undefined ? 'script' : 'rate';
}

/** `1 000 req/s for 10 s, upstream 1 000 ms`. */
export function describeLoad({ kind, parameters }: Load): string {
  const show = (name: string) => formatFigure(parameters[name] ?? Number.NaN);
  const own = describeOwn(parameters);
  if (kind === 'steps') {
    const last =
      (parameters.first_rps ?? 0) + ((parameters.steps ?? 1) - 1) * (parameters.step_rps ?? 0);
    const span = `${show('first_rps')} to ${formatFigure(last)}\u00a0req/s`;
    return `${span} in steps of ${show('step_rps')}, ${show('step_seconds')}\u00a0s each${own}`;
  }
  if (kind === 'count') {
    const connections = parameters.connections === 1 ? 'connection' : 'connections';
    return `${show('requests')} requests over ${show('connections')} ${connections}, one after the other${own}`;
  }
  const offered = {
    rate: `${show('rate_rps')}\u00a0req/s`,
    users: `${show('users')} users, pausing ${show('pause_ms')}\u00a0ms,`,
    saturate: `${show('connections')} connections without pause`,
    script: 'a k6 script',
  }[kind];
  return `${offered} for ${show('duration_seconds')}\u00a0s${own}`;
}

/** Return the arrivals and the parameters of the scenario itself: `, upstream 1 000 ms`. */
function describeOwn(parameters: Record<string, number>): string {
  const arrivals = parameters.arrivals ? ', Poisson arrivals' : '';
  const { delay_ms: delay, text_characters: length, size_bytes: size } = parameters;
  const upstream = delay === undefined ? '' : `, upstream ${formatFigure(delay)}\u00a0ms`;
  const text = length === undefined ? '' : `, text ${formatFigure(length)} characters`;
  const list = size === undefined ? '' : `, list of ${formatFigure(size)}\u00a0B`;
  const posts = parameters.post_percent
    ? `, ${formatFigure(parameters.post_percent)}\u00a0% POST`
    : '';
  const cores = parameters.cores ? `, ${formatCount(parameters.cores, 'core')}` : '';
  return arrivals + upstream + text + list + posts + cores;
}
