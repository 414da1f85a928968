/**
 * Pictures of the pages that must answer their question on the first screen, with the example data,
 * in both sizes and themes: the first screen, and the whole page.
 */
import { expect, type Page, test } from '@playwright/test';
import { keepPicture, scrollThrough } from '../tests/looks';

const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
};
const SCHEMES = ['light', 'dark'] as const;

interface Items<Item> {
  items: Item[];
}

/** A result, as far as the pictures need it. */
interface Result {
  cell_id: string;
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

/** Returns the path of each page by the name of its pictures. */
async function listPages(page: Page): Promise<Record<string, string>> {
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
    leaderboard: '/leaderboard',
    compare: `/compare?cells=${compared.map(({ cell_id: id }) => id).join(',')}`,
    study: '/studies/jvm-backend-services',
  };
}

test('first screens and whole pages', async ({ page }) => {
  test.setTimeout(20 * 60_000);
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(fault.message));
  for (const [name, path] of Object.entries(await listPages(page))) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.waitForLoadState('networkidle');
        keepPicture(`${name}-${size}-${colorScheme}-first`, await page.screenshot());
        await scrollThrough(page);
        // Charts further down have requested their data only now.
        await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0, {
          timeout: 60_000,
        });
        keepPicture(`${name}-${size}-${colorScheme}`, await page.screenshot({ fullPage: true }));
      }
    }
  }
  expect(faults).toEqual([]);
});
