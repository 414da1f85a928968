/** Suggested first runs, limited to what this installation can run. */
import type { Framework } from '@/api/frameworks';
import { listParameters, type Scenario } from '@/api/scenarios';
import { DEFAULT_TRIALS, EMPTY_PLAN, estimateSeconds, type Plan } from '@/lib/run-plan';

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
  /** Preferred frameworks in order; null for all that can run. */
  wanted: readonly string[] | null;
  most?: number;
}

const PRESETS: readonly Preset[] = [
  {
    slug: 'first-look',
    name: 'First look',
    description: 'Two frameworks with the smallest possible service.',
    scenario: 'hello',
    trials: 3,
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
    const load = {
      warm_up_seconds: defaults.warm_up_seconds ?? 0,
      duration_seconds: defaults.duration_seconds ?? 0,
    };
    const plan = {
      ...EMPTY_PLAN,
      title: preset.name,
      trials: preset.trials,
      cells: chosen.map(({ slug }) => ({ framework: slug, scenario: scenario.slug })),
    };
    const seconds = estimateSeconds(
      chosen.map(() => load),
      preset.trials,
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
