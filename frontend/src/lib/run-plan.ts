/** The plan of a run on the New run page, and its form in the URL. */

export interface PlanCell {
  framework: string;
  scenario: string;
}

/** A whole number, or the list of them that a profile sweeps. */
export type PlanValue = number | readonly number[];

export interface Limits {
  /** Per result. */
  maxTrials: number;
  maxMinutes: number;
}

export interface Plan {
  /** Chosen scenarios, also those without a cell. */
  scenarios: string[];
  cells: PlanCell[];
  /** Scenario to profile slug; a scenario left out takes its default. */
  profiles: Record<string, string>;
  /** Scenario to the parameters that differ from the profile's defaults. */
  parameters: Record<string, Record<string, PlanValue>>;
  trials: number;
  /** The limits of a run that continues until its ranking is certain; null: `trials` per result. */
  until: Limits | null;
  /** Empty: the host with the shortest queue. */
  host: string;
  /** Hosts of a group of runs, or only `EACH_HOST`; empty: a single run. */
  hosts: readonly string[];
  /** Hosts that send the load over the network. Empty: the host itself sends it. */
  loadHosts: string[];
  title: string;
}

type Key =
  | 'scenarios'
  | 'cells'
  | 'profile'
  | 'set'
  | 'trials'
  | 'until'
  | 'host'
  | 'hosts'
  | 'load_hosts'
  | 'title';
export type PlanSearch = Partial<Record<Key, string | undefined>>;

export const DEFAULT_TRIALS = 5;
/** Stands for every host that can measure the plan. */
export const EACH_HOST = '*';
export const MAX_TRIALS = 50;
export const MAX_MINUTES = 1440;
/** With fewer trials, the ranking is not tested. */
export const FIRST_BLOCKS = 3;
export const DEFAULT_LIMITS: Limits = { maxTrials: 20, maxMinutes: 30 };

export const EMPTY_PLAN: Plan = {
  scenarios: [],
  cells: [],
  profiles: {},
  parameters: {},
  trials: DEFAULT_TRIALS,
  until: null,
  host: '',
  hosts: [],
  loadHosts: [],
  title: '',
};

/**
 * `cells=hello.node,hello.go-nethttp&profile=hello.rate-full&set=hello.rate_rps.500&trials=3`;
 * a list is `delay_ms.100:500`. `scenarios=chain` is a chosen scenario without a cell. `until=ranked.20.30`: at most 20 trials per result in 30 minutes.
 */
export function encodePlan(plan: Plan): PlanSearch {
  const search: PlanSearch = {};
  const put = (key: keyof PlanSearch, value: string) => {
    if (value !== '') search[key] = value;
  };
  put('scenarios', plan.scenarios.filter((slug) => !hasScenario(plan, slug)).join(','));
  put('cells', plan.cells.map((cell) => `${cell.scenario}.${cell.framework}`).join(','));
  put(
    'profile',
    Object.entries(plan.profiles)
      .map((pair) => pair.join('.'))
      .join(','),
  );
  const settings = Object.entries(plan.parameters).flatMap(([scenario, values]) =>
    Object.entries(values).map(
      ([name, value]) =>
        `${scenario}.${name}.${typeof value === 'number' ? value : showList(value)}`,
    ),
  );
  put('set', settings.join(','));
  put('trials', plan.trials === DEFAULT_TRIALS ? '' : String(plan.trials));
  if (plan.until !== null) put('until', `ranked.${plan.until.maxTrials}.${plan.until.maxMinutes}`);
  put('host', plan.host);
  put('hosts', plan.hosts.join(','));
  put('load_hosts', plan.loadHosts.join(','));
  put('title', plan.title);
  return search;
}

/** Return the plan. Unreadable parts are left out, so that links written by hand still open. The form checks bounds. */
export function decodePlan(search: PlanSearch): Plan {
  const plan: Plan = { ...EMPTY_PLAN, profiles: {}, parameters: {} };
  plan.cells = tuples(search.cells).flatMap(([scenario, framework]) =>
    scenario && framework ? [{ scenario, framework }] : [],
  );
  plan.scenarios = [
    ...new Set([
      ...plan.cells.map((cell) => cell.scenario),
      ...tuples(search.scenarios).flatMap(([scenario]) => scenario ?? []),
    ]),
  ];
  for (const [scenario, profile] of tuples(search.profile)) {
    if (scenario && profile) plan.profiles[scenario] = profile;
  }
  for (const [scenario, name, value] of tuples(search.set)) {
    if (!scenario || !name || !/^\d+(:\d+)*:?$/.test(value ?? '')) continue;
    plan.parameters[scenario] = { ...plan.parameters[scenario], [name]: readValue(value ?? '') };
  }
  const trials = Number(search.trials ?? DEFAULT_TRIALS);
  plan.trials = Number.isInteger(trials) ? trials : DEFAULT_TRIALS;
  const limits = /^ranked\.(\d+)\.(\d+)$/.exec(search.until ?? '');
  if (limits) plan.until = { maxTrials: Number(limits[1]), maxMinutes: Number(limits[2]) };
  plan.host = search.host ?? '';
  plan.hosts = (search.hosts ?? '').split(',').filter((name) => name !== '');
  plan.loadHosts = (search.load_hosts ?? '').split(',').filter((name) => name !== '');
  plan.title = search.title ?? '';
  return plan;
}

function hasScenario(plan: Plan, scenario: string): boolean {
  return plan.cells.some((cell) => cell.scenario === scenario);
}

function showList(values: readonly number[]): string {
  return values.length === 1 ? `${values.join('')}:` : values.join(':');
}

/** Parse `500` as a number and `100:500` as a list; a list with one value ends in a colon. */
function readValue(text: string): PlanValue {
  if (!text.includes(':')) return Number(text);
  return text
    .split(':')
    .filter((item) => item !== '')
    .map(Number);
}

function tuples(text: string | undefined): string[][] {
  return (text ?? '')
    .split(',')
    .filter((item) => item !== '')
    .map((item) => item.split('.'));
}

/** Time to start, verify and collect, in addition to the load, as in backend/core/runs/progress.py. */
const OVERHEAD_SECONDS = 3;

/** Return how long the trials take at most, without building. */
export function estimateSeconds(
  cells: readonly { warm_up_seconds: number; duration_seconds: number }[],
  { trials, until }: Pick<Plan, 'trials' | 'until'>,
): number {
  const secondsOf = (cell: (typeof cells)[number]) =>
    cell.warm_up_seconds + cell.duration_seconds + OVERHEAD_SECONDS;
  const block = cells.reduce((sum, cell) => sum + secondsOf(cell), 0);
  if (until === null) return trials * block;
  return Math.min(until.maxTrials * block, until.maxMinutes * 60);
}

/** Return how often each result of a plan is measured: `× 5 trials ≈`, before the duration. */
export function describeAmount({ trials, until }: Pick<Plan, 'trials' | 'until'>): string {
  if (until !== null) return 'until the ranking is certain, at most';
  return `× ${trials} ${trials === 1 ? 'trial' : 'trials'} ≈`;
}

/** Return the fields of a request that set the number of trials of a plan. */
export function trialFields({ trials, until }: Pick<Plan, 'trials' | 'until'>) {
  if (until === null) return { trials };
  return {
    until: 'ranked' as const,
    max_trials: until.maxTrials,
    max_minutes: until.maxMinutes,
  };
}
