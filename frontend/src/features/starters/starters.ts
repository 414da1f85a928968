/** Suggested first runs, limited to what this installation can run. */
import type { Framework } from '@/api/frameworks';
import { listParameters, type Scenario } from '@/api/scenarios';
import {
  DEFAULT_TRIALS,
  EMPTY_PLAN,
  estimateSeconds,
  type Limits,
  type Plan,
} from '@/lib/run-plan';

export interface Starter {
  slug: string;
  name: string;
  description: string;
  plan: Plan;
  frameworks: Framework[];
  seconds: number;
}

interface Preset {
  slug: string;
  name: string;
  description: string;
  scenario: string;
  trials: number;
  /** Measures until the ranking is certain, within these limits. */
  until?: Limits;
  /** Parameters that differ from the defaults of the profile. */
  parameters?: Record<string, number>;
  /** Preferred frameworks in order; null for all that can run. */
  wanted: readonly string[] | null;
  most?: number;
}

const PRESETS: readonly Preset[] = [
  {
    slug: 'first-look',
    name: 'First look',
    description:
      'Which of two frameworks needs less CPU per request? Ends as soon as the answer is certain.',
    scenario: 'hello',
    trials: DEFAULT_TRIALS,
    until: { maxTrials: 10, maxMinutes: 3 },
    // Short trials, so that eight of each framework fit into three minutes.
    parameters: { warm_up_seconds: 3, duration_seconds: 5 },
    wanted: ['node', 'go-nethttp', 'fastapi', 'spring-mvc'],
    most: 2,
  },
  {
    slug: 'slow-upstream',
    name: 'Slow upstream',
    description: 'Frameworks calling a third party that takes one second to respond.',
    scenario: 'slow-upstream',
    trials: DEFAULT_TRIALS,
    wanted: [
      'node',
      'go-nethttp',
      'axum',
      'fastapi',
      'sinatra',
      'ktor-netty',
      'spring-mvc',
      'spring-webflux',
      'vertx',
    ],
  },
  {
    slug: 'all-hello',
    name: 'All frameworks',
    description: 'Every framework that runs here, on the Hello scenario.',
    scenario: 'hello',
    trials: DEFAULT_TRIALS,
    wanted: null,
  },
];

export function listStarters(
  frameworks: readonly Framework[],
  scenarios: readonly Scenario[],
): Starter[] {
  return PRESETS.flatMap((preset) => {
    const scenario = scenarios.find((scenario) => scenario.slug === preset.scenario);
    const profile = scenario?.profiles.find((profile) => profile.slug === scenario.default_profile);
    if (scenario === undefined || profile === undefined) return [];
    const chosen = choose(preset, frameworks);
    if (chosen.length === 0) return [];
    const defaults = Object.fromEntries(listParameters(profile).map((p) => [p.name, p.default]));
    const parameters = preset.parameters ?? {};
    const valueOf = (name: string) => parameters[name] ?? defaults[name] ?? 0;
    const load = {
      warm_up_seconds: valueOf('warm_up_seconds'),
      duration_seconds: valueOf('duration_seconds'),
    };
    const plan = {
      ...EMPTY_PLAN,
      title: preset.name,
      trials: preset.trials,
      until: preset.until ?? null,
      parameters: preset.parameters === undefined ? {} : { [scenario.slug]: parameters },
      cells: chosen.map(({ slug }) => ({ framework: slug, scenario: scenario.slug })),
    };
    const seconds = estimateSeconds(
      chosen.map(() => load),
      plan,
    );
    const { slug, name, description } = preset;
    return [{ slug, name, description, plan, frameworks: chosen, seconds }];
  });
}

function choose(preset: Preset, frameworks: readonly Framework[]): Framework[] {
  const able = frameworks.filter(
    (framework) =>
      framework.scenarios.includes(preset.scenario) &&
      Object.keys(framework.unavailable).length === 0,
  );
  const { wanted } = preset;
  if (wanted === null) return able;
  return wanted
    .flatMap((slug) => able.find((framework) => framework.slug === slug) ?? [])
    .slice(0, preset.most);
}
