/** Further pages with two results, in all sizes and themes, and accessible. */
import { expect, test } from './watched';
import { expectAccessible, keepPicture, photograph } from './looks';

const PAGES = {
  choose: {
    path: '/choose?scenario=hello&frameworks=node,go-nethttp',
    heading: 'Choose a framework',
  },
  'choose-empty': { path: '/choose', heading: 'Choose a framework' },
  leaderboard: { path: '/leaderboard?scenario=hello', heading: 'Leaderboard' },
  'leaderboard-empty': { path: '/leaderboard?scenario=universities', heading: 'Leaderboard' },
  'compare-begun': { path: '/compare', heading: 'Compare' },
  runs: { path: '/runs', heading: 'Runs' },
  'runs-empty': { path: '/runs?framework=node&until=2020-01-01', heading: 'Runs' },
  hosts: { path: '/hosts', heading: 'Hosts' },
  changes: { path: '/changes', heading: 'Changes' },
  limits: { path: '/limits', heading: 'Limits' },
  'guards-empty': { path: '/guards', heading: 'Own services' },
  schedules: { path: '/schedules', heading: 'Schedules' },
  'schedule-new': { path: '/schedules/new?cells=hello.node&trials=1', heading: 'New schedule' },
  settings: { path: '/settings', heading: 'Settings' },
  'settings-audit': { path: '/settings/audit', heading: 'Settings' },
  'operator-state': { path: '/operator/state', heading: 'Installation' },
  'operator-workspaces': { path: '/operator/workspaces', heading: 'Installation' },
  'operator-hosts': { path: '/operator/hosts', heading: 'Installation' },
  'sign-in-needless': { path: '/sign-in', heading: 'Sign in' },
  'join-incomplete': { path: '/join', heading: 'Open the link again' },
  verdicts: { path: '/verdicts', heading: 'Verdicts' },
  scenario: { path: '/scenarios/chain', heading: 'Chain' },
  docs: { path: '/docs/methodology/ranking', heading: 'Statistics and ranking' },
};

const FRAMEWORKS = ['node', 'go-nethttp'];

// The files before this one measure both frameworks, but a part of the tests may lack them.
test.beforeAll(async ({ request }) => {
  test.setTimeout(240_000);
  const answer = await request.get('/api/v1/cells?scenario=hello&limit=100');
  const { items } = (await answer.json()) as { items: { framework: { slug: string } }[] };
  const measured = new Set(items.map((item) => item.framework.slug));
  const missing = FRAMEWORKS.filter((framework) => !measured.has(framework));
  if (missing.length === 0) return;
  const parameters = { warm_up_seconds: 2, duration_seconds: 10 };
  const cells = missing.map((framework) => ({ framework, scenario: 'hello', parameters }));
  const asked = await request.post('/api/v1/runs', { data: { cells, trials: 1 } });
  expect(asked.status()).toBe(202);
  const { slug } = (await asked.json()) as { slug: string };
  await expect
    .poll(
      async () =>
        ((await (await request.get(`/api/v1/runs/${slug}`)).json()) as { status: string }).status,
      {
        timeout: 200_000,
      },
    )
    .toBe('succeeded');
});

for (const [name, { path, heading }] of Object.entries(PAGES)) {
  test(`${name} is complete and accessible`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await photograph(page, name);
    await expectAccessible(page, name);
  });
}

test('a schedule is made, shown and listed; a webhook too', async ({ page, request }) => {
  const run = { cells: [{ framework: 'node', scenario: 'hello' }], trials: 1 };
  const made = await request.post('/api/v1/schedules', {
    data: { name: 'Every first of January', cron: '0 3 1 1 *', time_zone: 'Europe/Berlin', run },
  });
  expect(made.status()).toBe(201);
  const { id } = (await made.json()) as { id: string };
  await page.goto(`/schedules/${id}`);
  await expect(page.getByRole('heading', { name: 'Plan', exact: true })).toBeVisible();
  await photograph(page, 'schedule');
  await expectAccessible(page, 'a schedule');
  await page.goto('/schedules');
  await expect(page.getByRole('link', { name: 'Every first of January' })).toBeVisible();
  await photograph(page, 'schedules-full');
  await expectAccessible(page, 'schedules');
  expect((await request.delete(`/api/v1/schedules/${id}`)).ok()).toBe(true);

  await page.goto('/settings/webhooks');
  await page.getByRole('button', { name: 'Add a webhook' }).first().click();
  await photograph(page, 'settings-adding');
  await expectAccessible(page, 'settings with a form');

  // A name that cannot exist, and an event that does not occur.
  const hook = { url: 'https://tacho.invalid/hook', events: ['schedule.missed'] };
  const subscribed = await request.post('/api/v1/webhooks', { data: hook });
  expect(subscribed.status()).toBe(201);
  const webhook = (await subscribed.json()) as { id: string };
  await page.goto('/settings/webhooks');
  await expect(page.getByText(hook.url)).toBeVisible();
  await photograph(page, 'settings-full');
  await expectAccessible(page, 'settings with a webhook');
  expect((await request.delete(`/api/v1/webhooks/${webhook.id}`)).ok()).toBe(true);
});

test('a guard of an own service is stored, shown and listed', async ({ page, request }) => {
  const change = { limit: 0.03, pairs: 9 };
  const report = {
    service: 'orders',
    base: { name: 'origin/main', commit: '3f2a9c41d0b87e6655e1f0a9b8c7d6e5f4a3b2c1', title: 'Old' },
    head: { name: 'the working tree' },
    loads: [
      {
        load: 'browse',
        engine: "Tacho's sender",
        responses: { compared: 12, equal: 12 },
        pairs: 9,
        changes: [
          {
            ...change,
            metric: 'cpu_us_per_request',
            state: 'worse',
            ratio: 1.079,
            low: 1.061,
            high: 1.098,
            base: 412,
            head: 444.5,
            visible: 0.026,
            base_against_itself: { ratio: 1.002, low: 0.99, high: 1.014 },
          },
          { ...change, metric: 'latency_p99_ms', state: 'unknown', low: 0.96, high: 1.13 },
        ],
      },
    ],
    host: 'ci-runner',
    runtime: 'docker',
    minutes: 6.5,
    most_minutes: 20,
    warnings: ['browse: 2 of 18 trials were disturbed by other programs.'],
    command: 'tacho guard --base 3f2a9c41d0 --seed 7',
  };
  const made = await request.post('/api/v1/guards', { data: report });
  expect(made.status()).toBe(201);
  const { slug } = (await made.json()) as { slug: string };
  await page.goto(`/guards/${slug}`);
  await expect(page.getByRole('heading', { level: 1, name: /^Slower, confirmed/ })).toBeVisible();
  await page.getByText('Evidence', { exact: true }).click();
  await expect(page.getByText(report.command)).toBeVisible();
  await photograph(page, 'guard');
  await expectAccessible(page, 'a guard');
  await page.goto('/guards');
  const newest = page.getByRole('region', { name: 'Newest guards' });
  await expect(newest.getByRole('link', { name: /^Slower, confirmed/ })).toBeVisible();
  await photograph(page, 'guards');
  await expectAccessible(page, 'own services');
  expect((await request.delete(`/api/v1/guards/${slug}`)).ok()).toBe(true);
});

test('a commit that was measured is in the history of its service', async ({ page, request }) => {
  const change = { metric: 'cpu_us_per_request', limit: 0.03, pairs: 9, base: 412 };
  const slugs: string[] = [];
  for (const [title, ratio, state] of [
    ['Cache prices', 1.002, 'within_limit'],
    ['Sort twice', 1.079, 'worse'],
  ] as const) {
    const figures = { state, ratio, low: ratio - 0.01, high: ratio + 0.01, head: 412 * ratio };
    const changes = [{ ...change, ...figures }];
    const made = await request.post('/api/v1/guards', {
      data: {
        service: 'prices',
        base: { name: 'v1.4', commit: 'a'.repeat(40), title: 'Release' },
        head: { name: 'HEAD', commit: (title === 'Sort twice' ? 'c' : 'b').repeat(40), title },
        loads: [{ load: 'browse', engine: "Tacho's sender", pairs: 9, changes }],
        host: 'bench-01',
        runtime: 'docker',
        most_minutes: 20,
        history: 'point',
      },
    });
    expect(made.status()).toBe(201);
    slugs.push(((await made.json()) as { slug: string }).slug);
  }
  await page.goto('/guards?service=prices');
  const commits = page.getByRole('table', { name: 'Commits since v1.4, browse' });
  const newest = commits.getByRole('row').nth(1);
  await expect(newest).toContainText(/Sort twice.*worse.*not confirmed/);
  await photograph(page, 'guards-history');
  await expectAccessible(page, 'the history of a service');
  for (const slug of slugs) {
    expect((await request.delete(`/api/v1/guards/${slug}`)).ok()).toBe(true);
  }
});

test('an operator reserves a host, and its page shows it', async ({ page, request }) => {
  const { items } = (await (await request.get('/api/v1/hosts')).json()) as {
    items: { name: string }[];
  };
  const name = items[0]?.name ?? '';
  await page.goto('/operator/hosts');
  await page.getByRole('button', { name: `Reserve ${name}…` }).click();
  await page.getByRole('combobox', { name: 'Workspaces' }).click();
  await page.getByRole('option', { name: 'Main' }).click();
  await page.keyboard.press('Escape');
  await photograph(page, 'operator-hosts-dialog');
  await expectAccessible(page, 'the dialog of a reservation');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: 'Main' })).toBeVisible();
  await page.goto(`/hosts/${name}`);
  await expect(page.getByText('reserved', { exact: true })).toBeVisible();
  await photograph(page, 'host-reserved');
  const path = `/api/v1/hosts/${name}/reservation`;
  expect((await request.put(path, { data: { workspaces: null } })).ok()).toBe(true);
});

test('a badge shows a number when a run is public', async ({ page, request }) => {
  const answer = await request.get('/api/v1/cells?scenario=hello&framework=node&limit=1');
  const { items } = (await answer.json()) as { items: { run_slug: string }[] };
  const slug = items[0]?.run_slug ?? '';
  await request.patch(`/api/v1/runs/${slug}`, { data: { visibility: 'public' } });
  await page.goto('/frameworks/node');
  const badge = page.getByRole('region', { name: 'Badge' }).getByRole('img').first();
  await expect(badge).toBeVisible();
  keepPicture('badge', await badge.screenshot());
  await request.patch(`/api/v1/runs/${slug}`, { data: { visibility: 'unlisted' } });
});

test('two results are compared, and the comparison is saved as a snapshot', async ({
  page,
  request,
}) => {
  const answer = await request.get('/api/v1/cells?scenario=hello&limit=2');
  const { items } = (await answer.json()) as { items: { cell_id: string }[] };
  expect(items.length).toBe(2);
  await page.goto(`/compare?cells=${items.map((item) => item.cell_id).join(',')}`);
  await expect(page.getByRole('heading', { name: 'All metrics' })).toBeVisible();
  await photograph(page, 'compare');
  await expectAccessible(page, 'compare');
  await page.getByRole('button', { name: 'Save snapshot' }).click();
  await expect(page).toHaveURL(/\/c\/[0-9a-f]{64}/);
  await expect(page.getByRole('heading', { name: 'All metrics' })).toBeVisible();
  await photograph(page, 'snapshot');
  await expectAccessible(page, 'a snapshot');
});
