/** The pages of a Tacho with the example data. */
import { expect, type Page } from '@playwright/test';

interface Items<Item> {
  items: Item[];
}

/** A result, as far as the pictures need it. */
interface Result {
  cell_id: string;
  run_slug: string;
  /** Whether it is excluded from ranking. */
  excluded: boolean;
  profile: string;
  parameters: Record<string, number>;
}

/** An incident, as far as the pictures need it. */
interface Incident {
  id: string;
  kind: 'service' | 'host';
  is_open: boolean;
  lead: { is_worse: boolean };
}

async function read<Item>(page: Page, path: string): Promise<Item[]> {
  const response = await page.request.get(path);
  expect(response.ok(), path).toBe(true);
  return ((await response.json()) as Items<Item>).items;
}

function nameLoad(result: Result | undefined): string {
  return JSON.stringify([result?.profile, result?.parameters]);
}

/** Returns the results of the run and the load with the most results that can be ranked. */
async function findRanked(page: Page): Promise<Result[]> {
  const groups = new Map<string, Result[]>();
  for (const { slug } of await read<{ slug: string }>(page, '/api/v1/scenarios')) {
    const results = await read<Result>(page, `/api/v1/cells?scenario=${slug}&limit=100`);
    for (const result of results.filter(({ excluded }) => !excluded)) {
      const name = `${slug} ${result.run_slug} ${nameLoad(result)}`;
      groups.set(name, [...(groups.get(name) ?? []), result]);
    }
  }
  const ordered = [...groups.values()].sort((one, other) => other.length - one.length);
  expect(ordered[0]?.length, 'results that can be compared').toBeGreaterThanOrEqual(2);
  return ordered[0] ?? [];
}

/** Returns the paths of the pages in README.md by the names of their pictures. */
export async function listReadmePages(page: Page): Promise<Record<string, string>> {
  const ranked = await findRanked(page);
  return {
    run: `/r/${ranked[0]?.run_slug ?? ''}`,
    comparison: `/compare?cells=${ranked.map(({ cell_id: id }) => id).join(',')}`,
    history: '/history?scenario=hello&framework=node',
  };
}

/** Returns the path of each page by the name of its pictures. */
export async function listPages(page: Page): Promise<Record<string, string>> {
  const examples = await read<{ slug: string; study: string | null; loaded: boolean }>(
    page,
    '/api/v1/examples',
  );
  const permalinks = examples.filter(({ loaded, study }) => loaded && study !== null);
  expect(permalinks.length, 'example runs of studies').toBeGreaterThanOrEqual(5);
  const results = await read<Result>(page, '/api/v1/cells?scenario=slow-upstream&limit=100');
  // Results of different loads cannot be compared.
  const compared = results.filter((result) => nameLoad(result) === nameLoad(results[0]));
  const incidents = await read<Incident>(page, '/api/v1/incidents?limit=100');
  const [schedule] = await read<{ id: string }>(page, '/api/v1/schedules');
  const pathOf = (incident: Incident | undefined) =>
    incident ? `/incidents/${incident.id}` : '/changes';
  return {
    home: '/',
    ...Object.fromEntries(
      permalinks.map(({ slug, study }) => [`run-${study ?? ''}`, `/r/${slug}`]),
    ),
    changes: '/changes',
    regression: pathOf(incidents.find(({ is_open, lead }) => is_open && lead.is_worse)),
    improvement: pathOf(incidents.find(({ is_open, lead }) => is_open && !lead.is_worse)),
    'host-event': pathOf(incidents.find(({ kind }) => kind === 'host')),
    history: '/history?scenario=hello&framework=node',
    schedule: schedule ? `/schedules/${schedule.id}` : '/schedules',
    choose: '/choose?scenario=universities&frameworks=nest,micro,spring-mvc',
    leaderboard: '/leaderboard',
    compare: `/compare?cells=${compared.map(({ cell_id: id }) => id).join(',')}`,
    study: '/studies/jvm-backend-services',
  };
}
