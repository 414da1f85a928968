import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ProfileOut, ScenarioOut } from './schema';

export type Scenario = ScenarioOut;
export type Profile = ProfileOut;

/** One bounded parameter, as the profile's JSON Schema gives it. */
export interface Parameter {
  name: string;
  title: string;
  unit: string;
  minimum: number;
  maximum: number;
  default: number;
  description: string;
}

/** The parameter of which a run gets a cell for each value; bounds are those of each value. */
export interface SweptParameter extends Omit<Parameter, 'default'> {
  most: number;
  default: readonly number[];
}

type Schema = Record<string, unknown>;

function properties(profile: Profile): [string, Schema][] {
  return Object.entries((profile.parameters.properties ?? {}) as Record<string, Schema>);
}

/** The parameters of a profile that take one number, in the server's order. */
export function listParameters(profile: Profile): Parameter[] {
  return properties(profile)
    .filter(([, spec]) => spec.type !== 'array')
    .map(([name, spec]) => ({ ...(spec as unknown as Omit<Parameter, 'name'>), name }));
}

/** The parameter a profile sweeps, or undefined. */
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
