/** Parameters of profiles. */
import type { ProfileOut } from './schema';

/** A bounded parameter from the profile's JSON Schema. */
export interface Parameter {
  name: string;
  title: string;
  unit: string;
  minimum: number;
  maximum: number;
  default: number;
  description: string;
  /** The names of the values from the minimum on; undefined for a plain number. */
  names?: readonly string[];
}

/** A swept parameter: a run has a cell for each value. The bounds apply to each value. */
export interface SweptParameter extends Omit<Parameter, 'default'> {
  most: number;
  default: readonly number[];
}

type Schema = Record<string, unknown>;

function properties(profile: ProfileOut): [string, Schema][] {
  return Object.entries((profile.parameters.properties ?? {}) as Record<string, Schema>);
}

/** Return the parameters of a profile that take a single number, in the server's order. */
export function listParameters(profile: ProfileOut): Parameter[] {
  return properties(profile)
    .filter(([, spec]) => spec.type !== 'array')
    .map(([name, spec]) => ({ ...(spec as unknown as Omit<Parameter, 'name'>), name }));
}

/** Return the parameter that a profile sweeps, or undefined. */
export function sweptParameter(profile: ProfileOut): SweptParameter | undefined {
  const found = properties(profile).find(([, spec]) => spec.type === 'array');
  if (found === undefined) return undefined;
  const [name, { items, maxItems, ...spec }] = found;
  const own = { ...spec, ...(items as Schema), most: maxItems, name };
  return own as unknown as SweptParameter;
}
