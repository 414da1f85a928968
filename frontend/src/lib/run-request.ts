/** Turns a request for a run, as in `POST /runs`, into a plan for the New run page; pure. */
import { DEFAULT_LIMITS, DEFAULT_TRIALS, EMPTY_PLAN, type Plan, type PlanValue } from './run-plan';

interface RequestedCell {
  framework: string;
  scenario: string;
  profile?: string | null;
  parameters?: Record<string, unknown>;
}

/** The body of `POST /runs`, as far as the form shows it. */
export interface RunRequest {
  cells: readonly RequestedCell[];
  title?: string | null;
  host?: string | null;
  trials?: number | null;
  /** A precision as goal counts as a fixed number of trials, because the form has no field for it. */
  until?: unknown;
  max_trials?: number | null;
  max_minutes?: number | null;
}

/**
 * Return the plan of a request. The form has one load per scenario: of several, the first is taken, and
 * values of a parameter that is a list, or that differs between cells of one framework, become the list that is swept.
 */
export function planOfRequest(request: RunRequest): Plan {
  const plan: Plan = {
    ...EMPTY_PLAN,
    scenarios: [],
    cells: [],
    profiles: {},
    parameters: {},
    title: request.title ?? '',
    host: request.host ?? '',
    trials: request.trials ?? DEFAULT_TRIALS,
    until:
      request.until === 'ranked'
        ? {
            maxTrials: request.max_trials ?? DEFAULT_LIMITS.maxTrials,
            maxMinutes: request.max_minutes ?? DEFAULT_LIMITS.maxMinutes,
          }
        : null,
  };
  for (const cell of request.cells) addCell(plan, cell);
  return plan;
}

function addCell(plan: Plan, { framework, scenario, profile, parameters }: RequestedCell): void {
  const first = !plan.scenarios.includes(scenario);
  if (first) {
    plan.scenarios.push(scenario);
    if (profile) plan.profiles[scenario] = profile;
  } else if ((plan.profiles[scenario] ?? null) !== (profile ?? null)) return;
  if (!plan.cells.some((cell) => cell.framework === framework && cell.scenario === scenario)) {
    plan.cells.push({ framework, scenario });
  }
  for (const [name, value] of Object.entries(parameters ?? {})) {
    const read = readValue(value);
    if (read === null) continue;
    const own = (plan.parameters[scenario] ??= {});
    own[name] = join(own[name], read);
  }
}

function readValue(value: unknown): PlanValue | null {
  if (typeof value === 'number') return value;
  if (!Array.isArray(value)) return null;
  return value.filter((item) => typeof item === 'number');
}

function join(known: PlanValue | undefined, value: PlanValue): PlanValue {
  if (known === undefined || String(known) === String(value)) return value;
  const values = [known, value].flat();
  return [...new Set(values)].sort((a, b) => a - b);
}
