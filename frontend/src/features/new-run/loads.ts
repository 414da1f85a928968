/** Logic of the loads of a plan: profiles, parameters and durations; pure. */
import { listParameters, type Parameter, sweptParameter } from '@/api/scenarios';
import type { ProfileOut, ScenarioOut } from '@/api/schema';
import { estimateSeconds, type Plan, type PlanValue } from '@/lib/run-plan';

export function profileOf(plan: Plan, scenario: ScenarioOut): ProfileOut | undefined {
  const wanted = plan.profiles[scenario.slug] ?? scenario.default_profile;
  return scenario.profiles.find((profile) => profile.slug === wanted) ?? scenario.profiles[0];
}

/** Set the profile and reset its parameters, because another profile has other parameters. */
export function setProfile(plan: Plan, scenario: ScenarioOut, profile: string): Plan {
  const profiles = without(plan.profiles, scenario.slug);
  if (profile !== scenario.default_profile) profiles[scenario.slug] = profile;
  return { ...plan, profiles, parameters: without(plan.parameters, scenario.slug) };
}

/** Set a parameter. Default values are left out of the URL. */
export function setParameter(
  plan: Plan,
  scenario: ScenarioOut,
  name: string,
  value: PlanValue,
): Plan {
  const profile = profileOf(plan, scenario);
  const known = profile && defaultOf(profile, name);
  const values = without(plan.parameters[scenario.slug] ?? {}, name);
  if (String(value) !== String(known)) values[name] = value;
  const parameters = without(plan.parameters, scenario.slug);
  if (Object.keys(values).length > 0) parameters[scenario.slug] = values;
  return { ...plan, parameters };
}

export function without<Value>(record: Record<string, Value>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function defaultOf(profile: ProfileOut, name: string): PlanValue | undefined {
  const swept = sweptParameter(profile);
  if (swept?.name === name) return swept.default;
  return listParameters(profile).find((parameter) => parameter.name === name)?.default;
}

/** Return the swept values in ascending order; undefined without a sweep. */
export function sweptValues(plan: Plan, scenario: ScenarioOut): readonly number[] | undefined {
  const profile = profileOf(plan, scenario);
  const swept = profile && sweptParameter(profile);
  if (swept === undefined) return undefined;
  const set = plan.parameters[scenario.slug]?.[swept.name] ?? swept.default;
  return typeof set === 'number' ? [set] : set;
}

/** Return the duration of the load for each cell of the run. */
function loads(plan: Plan, scenarios: readonly ScenarioOut[]) {
  return plan.cells.flatMap((cell) => {
    const scenario = scenarios.find((scenario) => scenario.slug === cell.scenario);
    const profile = scenario && profileOf(plan, scenario);
    if (!scenario || !profile) return [];
    const set = plan.parameters[scenario.slug] ?? {};
    const value = (name: string) => Number(set[name] ?? defaultOf(profile, name) ?? 0);
    const load = {
      warm_up_seconds: value('warm_up_seconds'),
      duration_seconds: measuredSeconds(profile.kind, value),
    };
    return (sweptValues(plan, scenario) ?? [0]).map(() => load);
  });
}

/** For a run until failure: the time of all steps and pauses, because possibly none fails. */
function measuredSeconds(kind: ProfileOut['kind'], value: (name: string) => number): number {
  if (kind !== 'steps') return value('duration_seconds');
  const drain = value('drain_seconds');
  return value('steps') * (value('step_seconds') + drain) - drain;
}

/** Return the number of cells; a sweep has a cell for each value. */
export function countCells(plan: Plan, scenarios: readonly ScenarioOut[]): number {
  return loads(plan, scenarios).length;
}

/** Return the seconds of all trials, without building. */
export function planSeconds(plan: Plan, scenarios: readonly ScenarioOut[]): number {
  return estimateSeconds(loads(plan, scenarios), plan);
}

/** A parameter that the loads of at least two scenarios have. */
export interface SharedParameter extends Omit<Parameter, 'default'> {
  /** Its value in each scenario, in their order. */
  values: { scenario: ScenarioOut; value: number }[];
}

/** Return the parameters that at least two of these scenarios have, with bounds that fit all. */
export function sharedParameters(plan: Plan, scenarios: readonly ScenarioOut[]): SharedParameter[] {
  const shared = new Map<string, SharedParameter>();
  for (const scenario of scenarios) {
    const profile = profileOf(plan, scenario);
    for (const parameter of profile ? listParameters(profile) : []) {
      const { default: value, ...rest } = parameter;
      const known = shared.get(parameter.name) ?? { ...rest, values: [] };
      const set = plan.parameters[scenario.slug]?.[parameter.name];
      shared.set(parameter.name, {
        ...known,
        minimum: Math.max(known.minimum, parameter.minimum),
        maximum: Math.min(known.maximum, parameter.maximum),
        values: [...known.values, { scenario, value: Number(set ?? value) }],
      });
    }
  }
  return [...shared.values()].filter(({ values }) => values.length > 1);
}

/** Set a parameter of every scenario that has it. */
export function setShared(plan: Plan, { name, values }: SharedParameter, value: number): Plan {
  return values.reduce((next, { scenario }) => setParameter(next, scenario, name, value), plan);
}

/** Choose the quick or the full variant of every scenario's profile. */
export function setVariant(plan: Plan, scenarios: readonly ScenarioOut[], variant: string): Plan {
  return scenarios.reduce((next, scenario) => {
    const profile = profileOf(next, scenario);
    if (profile === undefined || profile.variant === variant) return next;
    return setProfile(next, scenario, `${profile.name}-${variant}`);
  }, plan);
}

/** Return the variant that the profiles of all scenarios have; null if they differ. */
export function commonVariant(plan: Plan, scenarios: readonly ScenarioOut[]): string | null {
  const variants = new Set(scenarios.map((scenario) => profileOf(plan, scenario)?.variant));
  const [variant] = variants;
  return variants.size === 1 ? (variant ?? null) : null;
}
