/** Logic of the grid of frameworks and scenarios; pure. */
import type { Framework } from '@/api/frameworks';
import type { NewRun } from '@/api/runs';
import { listParameters, type Profile, type Scenario, sweptParameter } from '@/api/scenarios';
import { joinWords } from '@/lib/format';
import {
  estimateSeconds,
  type Plan,
  type PlanCell,
  type PlanValue,
  trialFields,
} from '@/lib/run-plan';

/** Return why a framework cannot run; null if it can. Without a host, one suitable host is enough. */
export function whyNowhere(
  { unavailable }: Framework,
  host: string,
  hosts: readonly string[],
): string | null {
  const candidates = host === '' ? hosts : [host];
  const reasons = candidates.flatMap((name) => {
    const reason = unavailable[name];
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });
  if (reasons.length === 0 || reasons.length < candidates.length) return null;
  return `cannot run on ${joinWords(reasons)}`;
}

export function isImplemented(framework: Framework, scenario: Scenario): boolean {
  return framework.scenarios.includes(scenario.slug);
}

/** Return the plan without unknown frameworks and scenarios, and their distinct names. */
export function splitUnknown(
  plan: Plan,
  frameworks: readonly Framework[],
  scenarios: readonly Scenario[],
): { plan: Plan; unknown: string[] } {
  const known = (list: readonly { slug: string }[], slug: string) =>
    list.some((item) => item.slug === slug);
  const strange = plan.cells.flatMap((cell) => [
    ...(known(frameworks, cell.framework) ? [] : [cell.framework]),
    ...(known(scenarios, cell.scenario) ? [] : [cell.scenario]),
  ]);
  const cells = plan.cells.filter(
    (cell) => known(frameworks, cell.framework) && known(scenarios, cell.scenario),
  );
  return { plan: { ...plan, cells }, unknown: [...new Set(strange)] };
}

export function hasCell(plan: Plan, cell: PlanCell): boolean {
  return plan.cells.some((candidate) => sameCell(candidate, cell));
}

function sameCell(a: PlanCell, b: PlanCell): boolean {
  return a.framework === b.framework && a.scenario === b.scenario;
}

/** Add all cells, or remove them if all are selected already. */
export function toggleCells(plan: Plan, cells: readonly PlanCell[]): Plan {
  const without = plan.cells.filter(
    (candidate) => !cells.some((cell) => sameCell(candidate, cell)),
  );
  const allIn = cells.every((cell) => hasCell(plan, cell));
  return { ...plan, cells: allIn ? without : [...without, ...cells] };
}

export function profileOf(plan: Plan, scenario: Scenario): Profile | undefined {
  const wanted = plan.profiles[scenario.slug] ?? scenario.default_profile;
  return scenario.profiles.find((profile) => profile.slug === wanted) ?? scenario.profiles[0];
}

/** Set the profile and reset its parameters, because another profile has other parameters. */
export function setProfile(plan: Plan, scenario: Scenario, profile: string): Plan {
  const profiles = without(plan.profiles, scenario.slug);
  if (profile !== scenario.default_profile) profiles[scenario.slug] = profile;
  return { ...plan, profiles, parameters: without(plan.parameters, scenario.slug) };
}

/** Set a parameter. Default values are left out of the URL. */
export function setParameter(plan: Plan, scenario: Scenario, name: string, value: PlanValue): Plan {
  const profile = profileOf(plan, scenario);
  const known = profile && defaultOf(profile, name);
  const values = without(plan.parameters[scenario.slug] ?? {}, name);
  if (String(value) !== String(known)) values[name] = value;
  const parameters = without(plan.parameters, scenario.slug);
  if (Object.keys(values).length > 0) parameters[scenario.slug] = values;
  return { ...plan, parameters };
}

function without<Value>(record: Record<string, Value>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function defaultOf(profile: Profile, name: string): PlanValue | undefined {
  const swept = sweptParameter(profile);
  if (swept?.name === name) return swept.default;
  return listParameters(profile).find((parameter) => parameter.name === name)?.default;
}

/** Return the swept values in ascending order; undefined without a sweep. */
export function sweptValues(plan: Plan, scenario: Scenario): readonly number[] | undefined {
  const profile = profileOf(plan, scenario);
  const swept = profile && sweptParameter(profile);
  if (swept === undefined) return undefined;
  const set = plan.parameters[scenario.slug]?.[swept.name] ?? swept.default;
  return typeof set === 'number' ? [set] : set;
}

/** Return the duration of the load for each cell of the run. */
function loads(plan: Plan, scenarios: readonly Scenario[]) {
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

/** For a run until failure: the time of all steps, because possibly none fails. */
function measuredSeconds(kind: Profile['kind'], value: (name: string) => number): number {
  return kind === 'steps' ? value('steps') * value('step_seconds') : value('duration_seconds');
}

/** Return the number of cells; a sweep has a cell for each value. */
export function countCells(plan: Plan, scenarios: readonly Scenario[]): number {
  return loads(plan, scenarios).length;
}

/** Return the seconds of all trials, without building. */
export function planSeconds(plan: Plan, scenarios: readonly Scenario[]): number {
  return estimateSeconds(loads(plan, scenarios), plan);
}

export function toRunIn(plan: Plan): NewRun {
  return {
    ...(plan.title !== '' && { title: plan.title }),
    ...(plan.host !== '' && { host: plan.host }),
    cells: plan.cells.map((cell) => ({
      ...cell,
      ...(plan.profiles[cell.scenario] && { profile: plan.profiles[cell.scenario] }),
      parameters: { ...plan.parameters[cell.scenario] },
    })),
    ...trialFields(plan),
    visibility: 'unlisted',
  };
}

/** Errors of the server by the field that shows them. */
export interface PlacedProblems {
  /** `scenario.parameter`, `scenario`, `scenario.framework` or a field of the run to text. */
  at: Record<string, string>;
  /** Errors without a field. */
  rest: string[];
}

export function placeProblems(
  plan: Plan,
  problems: readonly { field: string; detail: string }[],
): PlacedProblems {
  const placed: PlacedProblems = { at: {}, rest: [] };
  for (const { field, detail } of problems) {
    const place = placeOf(plan, field);
    if (place === null) placed.rest.push(`${field}: ${detail}`);
    else placed.at[place] = detail;
  }
  return placed;
}

const RUN_FIELDS = ['trials', 'until', 'max_trials', 'max_minutes', 'host', 'title'];

function placeOf(plan: Plan, field: string): string | null {
  if (RUN_FIELDS.includes(field)) return field;
  const [noun, index, key, name] = field.split('.');
  const cell = noun === 'cells' ? plan.cells[Number(index)] : undefined;
  if (cell === undefined) return null;
  if (key === 'parameters' && name !== undefined) return `${cell.scenario}.${name}`;
  if (key === 'framework') return `${cell.scenario}.${cell.framework}`;
  return cell.scenario;
}
