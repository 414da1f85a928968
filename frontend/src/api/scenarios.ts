import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ProfileOut, ScenarioOut } from './schema';

export type Scenario = ScenarioOut;
export type Profile = ProfileOut;

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

function properties(profile: Profile): [string, Schema][] {
  return Object.entries((profile.parameters.properties ?? {}) as Record<string, Schema>);
}

/** Return the parameters of a profile that take a single number, in the server's order. */
export function listParameters(profile: Profile): Parameter[] {
  return properties(profile)
    .filter(([, spec]) => spec.type !== 'array')
    .map(([name, spec]) => ({ ...(spec as unknown as Omit<Parameter, 'name'>), name }));
}

/** Return the parameter that a profile sweeps, or undefined. */
export function sweptParameter(profile: Profile): SweptParameter | undefined {
  const found = properties(profile).find(([, spec]) => spec.type === 'array');
  if (found === undefined) return undefined;
  const [name, { items, maxItems, ...spec }] = found;
  const own = { ...spec, ...(items as Schema), most: maxItems, name };
  return own as unknown as SweptParameter;
}

export const scenarioQueries = {
  list: () =>
    queryOptions({
      queryKey: ['scenarios'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/scenarios', { signal })),
      select: (page): Scenario[] => page.items,
    }),
  one: (slug: string) =>
    queryOptions({
      queryKey: ['scenarios', slug],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/scenarios/{slug}', { params: { path: { slug } }, signal })),
    }),
};
