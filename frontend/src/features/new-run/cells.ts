/** Logic of the choice of scenarios and frameworks; pure. */
import type { FrameworkOut, RunIn, ScenarioOut } from '@/api/schema';
import { joinWords } from '@/lib/format';
import { EACH_HOST, type Plan, type PlanCell, trialFields } from '@/lib/run-plan';
import { without } from './loads';

/** Return why a framework cannot run; null if it can. Without a host, one suitable host is enough. */
export function whyNowhere(
  { unavailable }: FrameworkOut,
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

/** Frameworks that cannot run, with the reason that they share. */
export interface UnableGroup {
  reason: string;
  frameworks: FrameworkOut[];
}

/** Split the frameworks into those that can run any of these scenarios, and the others by reason. */
export function splitFrameworks(
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
  plan: Plan,
  hosts: readonly string[],
): { able: FrameworkOut[]; unable: UnableGroup[] } {
  const able: FrameworkOut[] = [];
  const unable = new Map<string, FrameworkOut[]>();
  for (const framework of frameworks) {
    const reason = whyUnable(framework, scenarios, plan.host, hosts);
    // A link may select it anyway; then it is shown, so that it can be removed.
    if (reason === null || plan.cells.some((cell) => cell.framework === framework.slug)) {
      able.push(framework);
    } else unable.set(reason, [...(unable.get(reason) ?? []), framework]);
  }
  return { able, unable: [...unable].map(([reason, list]) => ({ reason, frameworks: list })) };
}

function whyUnable(
  framework: FrameworkOut,
  scenarios: readonly ScenarioOut[],
  host: string,
  hosts: readonly string[],
): string | null {
  if (!scenarios.some((scenario) => isImplemented(framework, scenario))) {
    return `do not implement ${joinWords(scenarios.map(({ name }) => name))}`;
  }
  return whyNowhere(framework, host, hosts);
}

/** Return the cells of these frameworks and scenarios that can run. */
export function listAble(
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
  host: string,
  hosts: readonly string[],
): PlanCell[] {
  return frameworks
    .filter((framework) => whyNowhere(framework, host, hosts) === null)
    .flatMap((framework) =>
      scenarios
        .filter((scenario) => isImplemented(framework, scenario))
        .map((scenario) => ({ framework: framework.slug, scenario: scenario.slug })),
    );
}

/** Add a scenario with the frameworks of the other scenarios, or remove it with its load. */
export function toggleScenario(
  plan: Plan,
  scenario: ScenarioOut,
  frameworks: readonly FrameworkOut[],
  hosts: readonly string[],
): Plan {
  const { slug } = scenario;
  if (plan.scenarios.includes(slug)) {
    return {
      ...plan,
      scenarios: plan.scenarios.filter((other) => other !== slug),
      cells: plan.cells.filter((cell) => cell.scenario !== slug),
      profiles: without(plan.profiles, slug),
      parameters: without(plan.parameters, slug),
    };
  }
  const chosen = frameworks.filter((framework) =>
    plan.cells.some((cell) => cell.framework === framework.slug),
  );
  const cells = listAble(chosen, [scenario], plan.host, hosts);
  return { ...plan, scenarios: [...plan.scenarios, slug], cells: [...plan.cells, ...cells] };
}

export function isImplemented(framework: FrameworkOut, scenario: ScenarioOut): boolean {
  return framework.scenarios.includes(scenario.slug);
}

/** Return the plan without unknown frameworks and scenarios, and their distinct names. */
export function splitUnknown(
  plan: Plan,
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
): { plan: Plan; unknown: string[] } {
  const known = (list: readonly { slug: string }[], slug: string) =>
    list.some((item) => item.slug === slug);
  const strange = plan.cells.flatMap((cell) => [
    ...(known(frameworks, cell.framework) ? [] : [cell.framework]),
    ...(known(scenarios, cell.scenario) ? [] : [cell.scenario]),
  ]);
  strange.push(...plan.scenarios.filter((slug) => !known(scenarios, slug)));
  const cells = plan.cells.filter(
    (cell) => known(frameworks, cell.framework) && known(scenarios, cell.scenario),
  );
  const listed = plan.scenarios.filter((slug) => known(scenarios, slug));
  return { plan: { ...plan, cells, scenarios: listed }, unknown: [...new Set(strange)] };
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

export function toRunIn(plan: Plan): RunIn {
  return {
    ...(plan.title !== '' && { title: plan.title }),
    ...hostFields(plan),
    ...(plan.loadHosts.length > 0 && { load_hosts: plan.loadHosts }),
    cells: plan.cells.map((cell) => ({
      ...cell,
      ...(plan.profiles[cell.scenario] && { profile: plan.profiles[cell.scenario] }),
      parameters: { ...plan.parameters[cell.scenario] },
    })),
    ...trialFields(plan),
    purpose: 'comparison',
    visibility: 'unlisted',
  };
}

/** Return the fields of a request that choose its host or its hosts. */
function hostFields({ host, hosts }: Plan): Pick<RunIn, 'host' | 'hosts'> {
  if (hosts.includes(EACH_HOST)) return { hosts: 'each' };
  if (hosts.length > 0) return { hosts: [...hosts] };
  return host === '' ? {} : { host };
}
