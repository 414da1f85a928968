/** Builds the items of the palette from the data of this installation; pure. */
import type {
  FrameworkOut,
  HostOut,
  MetricOut,
  PresetOut,
  RunListItem,
  ScenarioOut,
  StudyListItem,
} from '@/api/schema';
import type { DocsPage, GlossaryTerm } from 'virtual:docs';
import { formatAgo, joinWords, words } from '@/lib/format';
import { OTHER_PAGES, PAGES } from '@/lib/pages';
import { EMPTY_PLAN, encodePlan, type PlanCell } from '@/lib/run-plan';
import { planOfRequest } from '@/lib/run-request';
import { stringifySearch } from '@/lib/search';
import { type PaletteItem, rankItems } from './rank';

/** Maximum number of frameworks in a new run. */
const MOST_CELLS = 12;

export function pageItems(): PaletteItem[] {
  return [...PAGES, ...OTHER_PAGES].map(({ to, label, words: others }) => ({
    id: `page ${to}`,
    group: 'Pages',
    label,
    words: others,
    href: to,
  }));
}

export function runItems(runs: readonly RunListItem[], nowMs: number): PaletteItem[] {
  return runs.map(({ slug, title, status, frameworks, scenarios, created_at: at }) => ({
    id: `run ${slug}`,
    group: 'Runs',
    label: title,
    hint: `${status === 'succeeded' ? '' : `${words(status)}, `}${formatAgo(at, nowMs)}`,
    words: [slug, ...frameworks, ...scenarios]
      .map((term) => (typeof term === 'string' ? term : `${term.slug} ${term.name}`))
      .join(' '),
    href: `/r/${slug}`,
  }));
}

export function frameworkItems(frameworks: readonly FrameworkOut[]): PaletteItem[] {
  return frameworks.map(({ slug, name, language, colour, versions }) => ({
    id: `framework ${slug}`,
    group: 'Frameworks',
    label: name,
    hint: language,
    words: `${slug} ${versions.framework} ${versions.runtime}`,
    colour,
    href: `/frameworks/${slug}`,
  }));
}

const BEFORE_SCENARIO = /\s+(?:on|for|in front of)\s+/i;
const BETWEEN_NAMES = /\s+(?:vs\.?|versus|or|and|against)\s+|,/i;

/**
 * Return the choice between the frameworks that the text names, such as “spring vs node”, and for
 * the scenario that it names: “spring vs node on slow upstream”.
 */
export function choiceItem(
  text: string,
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
): PaletteItem[] {
  const [among = '', work = ''] = text.split(BEFORE_SCENARIO);
  const [scenario] = rankItems(scenarioItems(scenarios), work, 1)[0]?.items ?? [];
  const isFor = work.trim() !== '' && scenario !== undefined;
  const names = among.split(BETWEEN_NAMES).filter((name) => name.trim() !== '');
  const all = frameworkItems(frameworks);
  const found = names.map((name) => rankItems(all, name, 1)[0]?.items[0]);
  const chosen = [...new Set(found)].filter((item) => item !== undefined);
  if (chosen.length < 2 || chosen.length < names.length) return [];
  const slugs = chosen.map(({ href }) => href.split('/').at(-1)).join(',');
  return [
    {
      id: `choice ${slugs}`,
      group: 'Choose',
      label: `Choose between ${joinWords(chosen.map(({ label }) => label))}${isFor ? ` for ${scenario.label}` : ''}`,
      words: text,
      href: `/choose${stringifySearch({
        frameworks: slugs,
        scenario: isFor ? scenario.href.split('/').at(-1) : undefined,
      })}`,
    },
  ];
}

export function scenarioItems(scenarios: readonly ScenarioOut[]): PaletteItem[] {
  return scenarios.map(({ slug, name, method, path }) => ({
    id: `scenario ${slug}`,
    group: 'Scenarios',
    label: name,
    hint: `${method} ${path}`,
    words: slug,
    href: `/scenarios/${slug}`,
  }));
}

export function studyItems(studies: readonly StudyListItem[]): PaletteItem[] {
  return studies.map(({ slug, name, authors, year }) => ({
    id: `study ${slug}`,
    group: 'Studies',
    label: name,
    hint: [joinWords(authors), year ?? ''].filter((part) => part !== '').join(', '),
    words: slug,
    href: `/studies/${slug}`,
  }));
}

export function hostItems(hosts: readonly HostOut[]): PaletteItem[] {
  return hosts.map(({ name, state }) => ({
    id: `host ${name}`,
    group: 'Hosts',
    label: name,
    hint: state,
    href: `/hosts/${name}`,
  }));
}

/** Return a link to the leaderboard by each metric. */
export function metricItems(metrics: readonly MetricOut[]): PaletteItem[] {
  return metrics.map(({ metric, title, direction }) => ({
    id: `metric ${metric}`,
    group: 'Metrics',
    label: title,
    hint: `leaderboard, ${direction} is better`,
    words: `${metric} ${metric.replaceAll('_', ' ')} ranking`,
    href: `/leaderboard?metric=${metric}`,
  }));
}

/** Return the pages of the documentation, their sections, and the terms of the glossary. */
export function docsItems(
  pages: readonly DocsPage[],
  terms: readonly GlossaryTerm[],
): PaletteItem[] {
  const item = (label: string, hint: string, href: string): PaletteItem => ({
    id: `docs ${href} ${label}`,
    group: 'Documentation',
    label,
    hint,
    href,
  });
  return [
    ...pages.flatMap(({ path, title, sections }) => [
      item(title, 'page', `/docs/${path}`),
      ...sections.map(({ id, title: section }) => item(section, title, `/docs/${path}#${id}`)),
    ]),
    ...terms.map(({ term, section }) => item(term, 'glossary', `/docs/glossary#${section}`)),
  ];
}

export type Scheme = 'light' | 'dark' | 'auto';

const SCHEMES: readonly { scheme: Scheme; label: string; words: string }[] = [
  { scheme: 'light', label: 'Use the light theme', words: 'bright day colour scheme appearance' },
  { scheme: 'dark', label: 'Use the dark theme', words: 'night mode colour scheme appearance' },
  { scheme: 'auto', label: 'Use the theme of the system', words: 'automatic colour scheme' },
];

/** Return an action for each theme. */
export function themeItems(here: string, onScheme: (scheme: Scheme) => void): PaletteItem[] {
  return SCHEMES.map(({ scheme, label, words: others }) => ({
    id: `theme ${scheme}`,
    group: 'Theme',
    label,
    words: others,
    href: here,
    action: () => onScheme(scheme),
  }));
}

/** Return the suggested runs, to adjust before they start. */
export function presetItems(presets: readonly PresetOut[]): PaletteItem[] {
  return presets.map(({ slug, name, kind, description, request }) => ({
    id: `preset ${slug}`,
    group: 'New run',
    label: name,
    hint: kind === 'study' ? 'study' : 'preset',
    words: `${slug} ${description} new run preset`,
    href: `/runs/new${stringifySearch(encodePlan(planOfRequest(request)))}`,
  }));
}

/** Return whether a bench host can run a framework, or there is no bench host yet. */
function canRun({ digests, unavailable }: FrameworkOut): boolean {
  const hosts = Object.keys(digests);
  return hosts.some((host) => !(host in unavailable)) || Object.keys(unavailable).length === 0;
}

/** Return a new run for each framework on its first scenario, and for each scenario with all available frameworks. */
export function newRunItems(
  frameworks: readonly FrameworkOut[],
  scenarios: readonly ScenarioOut[],
): PaletteItem[] {
  const able = frameworks.filter(canRun);
  const plan = (id: string, label: string, hint: string, cells: PlanCell[]): PaletteItem => ({
    id: `new ${id}`,
    group: 'New run',
    label: `New run of ${label}`,
    hint,
    href: `/runs/new${stringifySearch(encodePlan({ ...EMPTY_PLAN, cells }))}`,
  });
  const ofFrameworks = able.flatMap(({ slug, name, scenarios: own }) => {
    const scenario = scenarios.find((scenario) => own.includes(scenario.slug));
    if (scenario === undefined) return [];
    const cells = [{ framework: slug, scenario: scenario.slug }];
    return [plan(slug, name, `on ${scenario.name}`, cells)];
  });
  const ofScenarios = scenarios.flatMap(({ slug, name }) => {
    const chosen = able
      .filter((framework) => framework.scenarios.includes(slug))
      .slice(0, MOST_CELLS);
    if (chosen.length === 0) return [];
    const cells = chosen.map((framework) => ({ framework: framework.slug, scenario: slug }));
    return [
      plan(slug, name, joinWords(chosen.slice(0, 3).map((framework) => framework.name)), cells),
    ];
  });
  return [...ofScenarios, ...ofFrameworks];
}

const SLUG = /^[0-9a-z]{10}$/;

/** Return a run by its slug, if it is not among the newest. */
export function slugItem(text: string, runs: readonly RunListItem[]): PaletteItem[] {
  const slug = text.trim().replace(/^.*\//, '');
  if (!SLUG.test(slug) || runs.some((run) => run.slug === slug)) return [];
  const label = `Run ${slug}`;
  return [{ id: `slug ${slug}`, group: 'Runs', label, words: text, href: `/r/${slug}` }];
}
